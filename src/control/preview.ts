import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { previewWithPlugins } from '#plugin/preview.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import { refusedCode } from '#sandbox/parse.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations

/** The secrets of the line are used for this answer and kept nowhere. Throws overloaded. */
export const preview: Answer<Operations['preview'], ControlWorld> = async ({ body, access }, on) => {
  const shown = previewWithPlugins(body, { providers, plugins, rates: on.rates?.() }, on.clock.now())
  const refused = shown.error ? undefined : await refusedCode(body, providers, on.parseCode, access!.teamId)
  if (refused === 'overloaded') throw fault('overloaded', { headers: { 'retry-after': '1' } })
  return refused ?? shown
}
