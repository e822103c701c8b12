#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <sys/types.h>

// All that a process has started, and what that has started: name by id.
std::map<pid_t, std::string> descendants_of(pid_t ancestor);

// Whether it is there and no zombie.
bool is_running(pid_t id, const std::string& name);

// Of a file in /proc, which tells no size; empty where it cannot be read.
std::string content_of(const std::filesystem::path& path);
