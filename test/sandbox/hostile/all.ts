import { calls, theft } from './abuse.ts'
import { loops, memory, waiting } from './bombs.ts'
import { escapes } from './escapes.ts'
import type { Hostile } from './program.ts'

/** Programs that run until a limit of time ends them. */
export const endless: readonly Hostile[] = [...loops, ...waiting]

export const hostile: readonly Hostile[] = [...escapes, ...endless, ...memory, ...calls, ...theft]
