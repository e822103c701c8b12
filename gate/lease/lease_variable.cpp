#include "gate/lease/lease_variable.h"

#include <algorithm>

namespace kgate::lease {

std::vector<TicketName> tickets_in(const std::string& variable) {
  std::vector<TicketName> tickets;
  for (std::size_t begin = 0; begin < variable.size();) {
    const std::size_t end = std::min(variable.find(',', begin), variable.size());
    if (auto name = ticket_name_from(std::string_view(variable).substr(begin, end - begin)))
      tickets.push_back(std::move(*name));
    begin = end + 1;
  }
  return tickets;
}

std::string variable_of(const std::vector<TicketName>& tickets) {
  std::string text;
  for (const TicketName& name : tickets) text += (text.empty() ? "" : ",") + text_of(name);
  return text;
}

}  // namespace kgate::lease
