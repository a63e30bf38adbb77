import { globSync } from 'node:fs'

const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

/** Why a clock cannot be set apart here; false where it can. */
export const whyNoFaketime: string | false = !library && 'this machine has no libfaketime'

/** What a process is started with so that its clock is ahead of the machine's, or behind it. */
export const clockAhead = (seconds: number): Record<string, string> => ({
  LD_PRELOAD: library!,
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
})
