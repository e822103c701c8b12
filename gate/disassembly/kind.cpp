#include "gate/disassembly/kind.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace kgate::disassembly {
namespace {

struct Row {
  Kind kind;
  const char* key;
  const char* words;
  std::string_view opcodes;
};

// Opcodes as NVIDIA's "CUDA Binary Utilities" names them, Maxwell to Blackwell, not all of them checked against it; a
// leading U is the same on the uniform datapath. A row can name an opcode with modifiers: the longest name that fits
// decides, so that IMAD.MOV, a move by the integer unit, is none of the integer instructions, and HADD2.F32, by which a
// half becomes a float, a conversion. What no row names is `other`, so that a newer set's opcodes are counted all the
// same.
constexpr std::array<Row, 16> kTable{{
    {Kind::global_load, "global_load", "global loads", "LDG LD LDGSTS UTMALDG UBLKCP"},
    {Kind::global_store, "global_store", "global stores", "STG ST UTMASTG"},
    {Kind::shared, "shared", "shared memory", "LDS STS LDSM STSM STAS"},
    {Kind::local_load, "local_load", "local loads (spills or arrays)", "LDL"},
    {Kind::local_store, "local_store", "local stores (spills or arrays)", "STL"},
    {Kind::atomic, "atomic", "atomics", "ATOM ATOMG ATOMS RED REDG REDAS SUATOM SURED UTMAREDG UBLKRED"},
    {Kind::fp32, "fp32", "FP32",
     "FADD FADD2 FADD32I FCHK FCMP FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSET FSETP FSWZADD FHADD "
     "FHFMA UFADD UFFMA UFMNMX UFMUL UFSEL UFSET UFSETP"},
    {Kind::fp64, "fp64", "FP64", "DADD DFMA DMNMX DMUL DSET DSETP"},
    {Kind::half, "half", "FP16/BF16", "HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 VHMNMX"},
    {Kind::tensor, "tensor", "tensor cores",
     "HMMA IMMA BMMA DMMA QMMA OMMA HGMMA IGMMA BGMMA QGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA"},
    {Kind::integer, "integer", "integer",
     "BFE BFI BMSK BREV FLO IABS IADD IADD3 IADD32I ICMP IDP IDP4A IMAD IMADSP IMAD32I IMNMX IMUL IMUL32I ISCADD "
     "ISCADD32I ISET ISETP LEA LOP LOP3 LOP32I POPC REDUX SGXT SHF SHL SHR VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX "
     "VIMNMX3 XMAD CREDUX UBMSK UBREV UFLO UIABS UIADD3 UIMAD UIMNMX UISETP ULEA ULOP3 UPOPC USGXT "
     "USHF UVIADD UVIMNMX"},
    {Kind::conversion, "conversion", "conversions",
     "F2F F2FP F2I F2IP FRND HADD2.F32 I2F I2FP I2I I2IP UF2F UF2FP UF2I UFRND UI2F UI2FP UI2IP"},
    {Kind::special, "special", "special functions", "MUFU RRO"},
    {Kind::control, "control", "control",
     "ACQBULK BMOV BPT BRA BREAK BRK BRX BRXU BSSY BSYNC CAL CALL CONT EXIT IDE JCAL JMP JMX JMXU KILL LONGJMP "
     "NANOSLEEP PBK PCNT PEXIT PLONGJMP PREEXIT PRET RAM RET RPCMOV RTT SAM SSY SYNC YIELD"},
    {Kind::barrier, "barrier", "barriers",
     "ARRIVES B2R BAR CGAERRBAR DEPBAR ERRBAR FENCE LDGDEPBAR MEMBAR SYNCS UCGABAR_ARV "
     "UCGABAR_WAIT UTCBAR UTMACMDFLUSH WARPGROUP WARPGROUPSET WARPSYNC"},
    {Kind::other, "other", "other", "IMAD.MOV"},
}};

const Row& row_of(Kind kind) {
  return *std::find_if(kTable.begin(), kTable.end(), [&](const Row& row) { return row.kind == kind; });
}

const std::unordered_map<std::string_view, Kind>& kinds() {
  static const auto all = [] {
    std::unordered_map<std::string_view, Kind> map;
    for (const Row& row : kTable) {
      for (std::size_t at = 0; at < row.opcodes.size();) {
        const std::size_t end = std::min(row.opcodes.find(' ', at), row.opcodes.size());
        map.emplace(row.opcodes.substr(at, end - at), row.kind);
        at = end + 1;
      }
    }
    return map;
  }();
  return all;
}

}  // namespace

const char* key_of(Kind kind) {
  return row_of(kind).key;
}

const char* words_of(Kind kind) {
  return row_of(kind).words;
}

std::optional<Kind> kind_from_key(std::string_view key) {
  const auto row = std::find_if(kTable.begin(), kTable.end(), [&](const Row& one) { return one.key == key; });
  if (row == kTable.end()) return std::nullopt;
  return row->kind;
}

Kind kind_of(std::string_view opcode) {
  while (true) {
    if (const auto found = kinds().find(opcode); found != kinds().end()) return found->second;
    const std::size_t dot = opcode.rfind('.');
    if (dot == std::string_view::npos) return Kind::other;
    opcode = opcode.substr(0, dot);
  }
}

std::int64_t total(const Counts& counts) {
  std::int64_t sum = 0;
  for (const auto& [kind, count] : counts) sum += count;
  return sum;
}

}  // namespace kgate::disassembly
