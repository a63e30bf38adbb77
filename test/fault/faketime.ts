import { globSync } from 'node:fs'

const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

/** Why the clock cannot be faked here; false if it can. */
export const whyNoFaketime: string | false = !library && 'this machine has no libfaketime'

/** The environment for a clock that a file sets while the process runs. Only for single-threaded programs. */
export const clockFile = (file: string): Record<string, string> => ({
  LD_PRELOAD: library!.replace('MT.so', '.so'),
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
})

/** The environment for a process whose clock is ahead of the machine's, or behind it. */
export const clockAhead = (seconds: number): Record<string, string> => ({
  LD_PRELOAD: library!,
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
})
