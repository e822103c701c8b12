#pragma once

#include <string>
#include <vector>

#include "gate/lease/ticket.h"

namespace kgate::lease {

// What KGATE_LEASE holds: tickets' names, with commas between them. What is no ticket's name is passed over.
constexpr const char* kLeaseVariable = "KGATE_LEASE";
std::vector<TicketName> tickets_in(const std::string& variable);
std::string variable_of(const std::vector<TicketName>& tickets);

}  // namespace kgate::lease
