import { calls, theft } from './abuse.ts'
import { loops, memory, waiting } from './bombs.ts'
import { escapes } from './escapes.ts'
import type { Hostile } from './program.ts'

export const hostile: readonly Hostile[] = [...escapes, ...loops, ...waiting, ...memory, ...calls, ...theft]
