import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { preview as previewOf } from '#provider/preview.ts'
import { providers } from '#providers/index.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations

/** The secrets of the line are used for this answer and kept nowhere. */
export const preview: Answer<Operations['preview'], ControlWorld> = ({ body }, on) =>
  previewOf(body, providers, on.clock.now())
