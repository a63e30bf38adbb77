import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { previewWithPlugins } from '#plugin/preview.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations

/** The secrets of the line are used for this answer and kept nowhere. */
export const preview: Answer<Operations['preview'], ControlWorld> = ({ body }, on) =>
  previewWithPlugins(body, { providers, plugins, rates: on.rates?.() }, on.clock.now())
