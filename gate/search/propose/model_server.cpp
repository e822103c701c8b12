#include "gate/search/propose/model_server.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/search/propose/retry.h"
#include "gate/search/propose/words.h"

namespace kgate::search {

// One try, and what became of it.
struct ModelServer::Try {
  std::optional<ChatAnswer> answer;
  std::string trouble;  // redacted
  bool again = false;
};

namespace {

std::string with_remedy(std::string fact, const std::string& remedy) {
  return remedy.empty() ? fact : std::move(fact) + "; " + remedy;
}

ModelServer::Said refused(Refusal::Kind kind, std::string reason) {
  ModelServer::Said said;
  said.refusal = {kind, std::move(reason)};
  return said;
}

std::string after(int tries, const std::string& trouble) {
  return tries > 1 ? fmt::format("{} (tried {} times)", trouble, tries) : trouble;
}

}  // namespace

ModelServer::ModelServer(const ServerOptions& options)
    : options_(options),
      secret_(options.key),
      endpoint_(chat_endpoint(options.url, options.plain_http)),
      meter_(options.prices),
      jitter_(options.jitter_seed, 0x6a69747465720001ULL),
      system_clock_(options.interrupt),
      clock_(options.clock != nullptr ? options.clock : &system_clock_) {}

// What a 2xx holds; false where that is no chat completion.
bool ModelServer::read(const Posted& posted, Try& one) const {
  // Redacted as it came and once more when its escapes are gone.
  try {
    ChatAnswer answer = read_chat(secret_.redacted(posted.body));
    answer.content = secret_.redacted(answer.content);
    answer.model = secret_.redacted(answer.model);
    one.answer = std::move(answer);
    return true;
  } catch (const Error& error) {
    one.trouble = secret_.redacted(
        fmt::format("{} answered {} with what is no chat completion ({}): {}: {}", endpoint_.host, posted.status,
                    posted.content_type.empty() ? "no content type" : one_line(posted.content_type, 100), error.what(),
                    posted.body.empty() ? "nothing" : error_words(posted.body)));
    return false;
  }
}

// Why there is no answer, and whether it is worth another try.
void ModelServer::tell(const Posted& posted, Try& one) const {
  const std::string words = one_line(posted.trouble);
  std::string text;
  switch (posted.end) {
    case Posted::End::answered:
      if (posted.status >= 300 && posted.status < 400) {
        text = fmt::format(
            "{} answered {} and points to {}; kgate follows no redirect with a key: write the address "
            "that is meant into [search] url",
            endpoint_.host, posted.status, one_line(posted.redirect, 200));
      } else {
        const std::string said = error_words(posted.body);
        text = with_remedy(
            fmt::format("{} answered {}{}{}", endpoint_.host, posted.status, said.empty() ? "" : ": ", said),
            remedy_for(posted.status, said));
      }
      break;
    case Posted::End::not_connected:
      text = fmt::format("{} cannot be reached: {}", endpoint_.host, words);
      break;
    case Posted::End::dropped:
      text = fmt::format("{} broke off: {}", endpoint_.host, words);
      break;
    case Posted::End::timed_out:
      text = fmt::format("{} did not answer in time: {}; raise [search] timeout_s, or lower max_tokens", endpoint_.host,
                         words);
      break;
    case Posted::End::too_large:
      text = fmt::format("{} {}: no answer is that long", endpoint_.host, words);
      break;
    case Posted::End::untrusted:
      text = fmt::format("{} is not trusted, and was sent nothing: {}", endpoint_.host, words);
      break;
    case Posted::End::failed:
      text = fmt::format("{} cannot be asked: {}", endpoint_.host, words);
      break;
  }
  one.trouble = secret_.redacted(text);
  one.again = may_pass(posted);
}

ModelServer::Said ModelServer::ask(ChatRequest request, const Briefing& briefing, Usage& spent) {
  const double began = clock_->now();
  const std::int64_t wished = request.max_tokens;
  // Time of its own: waits are the clock's, transfers the system's.
  double transfers = 0;
  const Usage before = spent;
  const auto elapsed = [&] { return clock_->now() - began + (clock_ == &system_clock_ ? 0 : transfers); };
  const auto left = [&] { return briefing.seconds_left - before.seconds - elapsed(); };
  const auto done = [&](Said said) {
    spent.seconds = before.seconds + elapsed();
    return said;
  };
  std::string trouble;
  for (int tries = 1;; ++tries) {
    const bool limited = briefing.seconds_left > 0;
    if (limited && left() <= 0)
      return done(refused(Refusal::Kind::budget,
                          with_remedy("the time of [search] seconds is over", after(tries - 1, trouble))));
    std::string why;
    const auto room = meter_.room(chat_body(request).size(), wished, briefing, spent, why);
    if (!room) return done(refused(Refusal::Kind::budget, with_remedy(why, after(tries - 1, trouble))));
    request.max_tokens = *room;

    Post call;
    call.url = endpoint_.url;
    call.body = chat_body(request);
    call.bearer = secret_.key();
    call.proxy = endpoint_.loopback ? "" : options_.proxy;
    call.ca_file = options_.ca_file;
    call.connect_s = options_.connect_s;
    call.whole_s = limited ? std::min(options_.timeout_s, left()) : options_.timeout_s;
    call.stall_s = options_.stall_s;
    call.interrupt = options_.interrupt;
    const double sent_at = system_clock_.now();
    const Posted posted = post(call);
    transfers += system_clock_.now() - sent_at;

    Try one;
    if (posted.end == Posted::End::answered && posted.status >= 200 && posted.status < 300) {
      one.again = !read(posted, one);
      // What cannot be read may be the beginning of an answer that is charged for.
      add(spent, one.answer ? meter_.answered(call.body.size(), one.answer->content.size(), one.answer->usage)
                            : meter_.lost(call.body.size(), *room));
      if (one.answer) {
        Said answer;
        answer.answer = std::move(one.answer);
        return done(std::move(answer));
      }
    } else {
      if (posted.end != Posted::End::answered && posted.sent) add(spent, meter_.lost(call.body.size(), *room));
      tell(posted, one);
    }
    trouble = one.trouble;
    if (!one.again || tries > options_.retries) return done(refused(Refusal::Kind::unavailable, after(tries, trouble)));
    double pause = pause_after(tries, options_.most_wait_s, jitter_);
    if (posted.retry_after_s) {
      pause = std::max(pause, *posted.retry_after_s);
      // To come back before the server wants to be asked would only be refused again.
      if (*posted.retry_after_s > options_.most_wait_s)
        return done(refused(Refusal::Kind::unavailable,
                            fmt::format("{}; it wants to be left alone for {:g} s, and kgate waits {:g} s at most",
                                        trouble, *posted.retry_after_s, options_.most_wait_s)));
    }
    if (limited && pause >= left())
      return done(refused(Refusal::Kind::budget,
                          fmt::format("{}; waiting for another try would go over [search] seconds", trouble)));
    clock_->sleep(pause);
  }
}

}  // namespace kgate::search
