#include "tests/host/host_fixture.h"
