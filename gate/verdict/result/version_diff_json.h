#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "gate/verdict/result/reader.h"
#include "gate/verdict/result/version_diff.h"

// The parts of result.json about earlier versions, both ways.
namespace kgate::verdict {

Json to_json(const ResourceUse& use);
Json to_json(const MachineCode& code);
Json to_json(const VersionDiff& diff);
Json error_growth_json(const std::map<std::string, double>& growth);

ResourceUse resources_from(const Reader& reader);
MachineCode machine_code_from(const Reader& reader);
VersionDiff version_diff_from(const Reader& reader);
std::map<std::string, double> error_growth_from(const Reader& reader);

}  // namespace kgate::verdict
