"""The artifact of a job that ran a stranger's code: a zip whose one file, result.json, is read, and of which nothing is ever unpacked."""

import io
import stat
import zipfile

MAX_ARCHIVE = 4 << 20
MAX_RESULT = 16 << 20
NAME = "result.json"


class Refused(Exception):
    """What is wrong with it, in our own words: none of its own text is in them."""


def result_bytes(archive):
    if len(archive) > MAX_ARCHIVE:
        raise Refused(f"the artifact has more than {MAX_ARCHIVE >> 20} MiB")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            return _only_member(opened)
    except Refused:
        raise
    except Exception as error:  # zipfile tells broken archives by many types
        raise Refused(f"the artifact is no readable zip ({type(error).__name__})") from error


def _only_member(opened):
    members = opened.infolist()
    if len(members) != 1 or members[0].filename != NAME or members[0].orig_filename != NAME:
        raise Refused(f"the artifact has to hold one file, {NAME}, and nothing else")
    member = members[0]
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise Refused(f"{NAME} is not a plain file")
    if member.flag_bits & 1:
        raise Refused(f"{NAME} is encrypted")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"{NAME} is packed in an unusual way")
    # The size that the archive states is its maker's: what counts is what comes out.
    with opened.open(member) as stream:
        content = stream.read(MAX_RESULT + 1)
    if len(content) > MAX_RESULT:
        raise Refused(f"{NAME} has more than {MAX_RESULT >> 20} MiB")
    return content
