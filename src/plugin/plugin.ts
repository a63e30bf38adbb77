import type { TagEvent } from '#contract/event.ts'
import { type Check, check, type Static, type TObject, Type } from '#contract/schema.ts'
import type { History } from '#contract/tag.ts'
import { amountOf, decimalsOf, withoutDust } from '#provider/form/money.ts'
import { type Rates, RateTable } from './rates.ts'

/** The words that a plugin file is written in. */
export { amountOf, decimalsOf, type History, type Rates, RateTable, type Static, type TagEvent, Type, withoutDust }

/** All that a plugin may know besides the event. */
export type PluginWorld = {
  /** What is remembered of the person. */
  history: History
  /** The operator's exchange rates, where there is a file of them. */
  rates?: Rates
  /** The clock, epoch ms. */
  now: number
  /** What the person's browser calls itself, where it is known. */
  userAgent?: string
}

/**
 * What becomes of an event: what the channels get of it, `more` events that go to the channels beside it, and what is to
 * be remembered of the person; or no channel gets it.
 */
export type Ran = { event: TagEvent; more?: readonly TagEvent[]; history?: History } | { filtered: true }

/** An event in, and what comes of it. They are the documentation and the test. */
export type PluginExample = {
  shows: string
  settings: Record<string, unknown>
  event: Partial<TagEvent>
  on?: Partial<PluginWorld>
  gives: { event: Partial<TagEvent>; more?: readonly Partial<TagEvent>[]; history?: History } | { filtered: true }
}

type Form<Settings extends TObject> = {
  label: string
  /** What it does, in a sentence for the customer. */
  does: string
  stage: 'draft' | 'beta' | 'live'
  settings: Settings
  /**
   * Pure: no clock, no state, nothing of the event changed in place. The eventId and the timestamp stay as they are. Run
   * again it says the same, because what has been remembered names the event that it was remembered from.
   */
  run(event: TagEvent, settings: Static<Settings>, on: PluginWorld): Ran
  examples: readonly PluginExample[]
}

/** A plugin whose settings have been checked before it is run. */
export type Plugin = Omit<Form<TObject>, 'run'> & {
  run(event: TagEvent, settings: Readonly<Record<string, unknown>>, on: PluginWorld): Ran
  /** What is wrong with settings. */
  check: Check
}

export const plugin = <Settings extends TObject>(form: Form<Settings>): Plugin =>
  ({ ...form, check: check(form.settings) }) as unknown as Plugin

/** An event that a plugin makes of another: the same under another name, found by an id that follows from the other's. */
export const another = (event: TagEvent, eventName: string): TagEvent => ({
  ...event,
  eventName,
  eventId: `${event.eventId}~${eventName}`,
})
