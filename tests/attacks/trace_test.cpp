#include "tests/attacks/attack.h"
#include "tests/support/catch.h"

// The attacks' tests say that nothing of a change was compiled or run. Here is what they would have seen.
TEST_CASE("code that may run leaves the traces that the attacks are searched for") {
  Scene scene;
  scene.plant_trace();
  const auto answer = scene.kgate("run scale", Place::desk);
  INFO(answer.output);
  CHECK(answer.code == kPass);
  CHECK(scene.compiled_something());
  // A sandbox keeps the code from writing there.
  if (answer.result["sandbox"]["level"] == "none") CHECK(scene.traced());
}
