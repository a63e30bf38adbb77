import type { TagEvent } from '#contract/event.ts'
import { type Static, type TObject, Type } from '#contract/schema.ts'
import type { History } from '#contract/tag.ts'
import { compileValidator, type Validator } from '#contract/validator.ts'
import { amountOf, decimalsOf, withoutFloatError } from '#provider/form/money.ts'
import { type Rates, RateTable } from './exchangeRates.ts'

/** The names that plugin files use. */
export { amountOf, decimalsOf, type Rates, RateTable, type TagEvent, Type, withoutFloatError }

/** The input of a plugin in addition to the event. */
export type PluginContext = {
  /** The stored history of the user. */
  history: History
  /** The operator's exchange rates, if there is a rates file. */
  rates?: Rates
  /** The time (epoch ms). */
  now: number
  /** The user agent of the user's browser, if known. */
  userAgent?: string
}

/**
 * The result of a plugin: the event for the channels, `more` events to add, and the user's new history. With
 * `filtered`, no channel receives the event.
 */
export type PluginResult = { event: TagEvent; more?: readonly TagEvent[]; history?: History } | { filtered: true }

/** An event and its expected result. Examples are documentation and tests. */
type PluginExample = {
  title: string
  settings: Record<string, unknown>
  event: Partial<TagEvent>
  context?: Partial<PluginContext>
  result: { event: Partial<TagEvent>; more?: readonly Partial<TagEvent>[]; history?: History } | { filtered: true }
}

type PluginDefinition<Settings extends TObject> = {
  label: string
  /** One sentence for the customer. */
  description: string
  stage: 'draft' | 'beta' | 'live'
  settings: Settings
  /**
   * Pure: reads no clock, keeps no state, does not mutate the event. Does not change the eventId and the timestamp. A
   * second run with the returned history has the same result, because the history names the event that it comes from.
   */
  run(event: TagEvent, settings: Static<Settings>, deps: PluginContext): PluginResult
  examples: readonly PluginExample[]
}

/** A plugin with a validator. Its settings are validated before it runs. */
export type Plugin = Omit<PluginDefinition<TObject>, 'run'> & {
  run(event: TagEvent, settings: Readonly<Record<string, unknown>>, deps: PluginContext): PluginResult
  /** Returns the issues of settings. */
  check: Validator
}

export const plugin = <Settings extends TObject>(form: PluginDefinition<Settings>): Plugin =>
  ({ ...form, check: compileValidator(form.settings) }) as unknown as Plugin

/**
 * A copy of an event with another name. Its id is derived from the source event, so that a second run gives the same
 * id.
 */
export const deriveEvent = (event: TagEvent, eventName: string): TagEvent => ({
  ...event,
  eventName,
  eventId: `${event.eventId}~${eventName}`,
})
