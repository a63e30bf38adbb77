import type { TagEvent } from '#contract/event.ts'

/** The text fields that an SDK reports about an app and its device. */
const names = [
  'id',
  'name',
  'version',
  'build',
  'osVersion',
  'model',
  'manufacturer',
  'locale',
  'timezone',
  'carrier',
  'screenWidth',
  'screenHeight',
  'screenDensity',
] as const

/** `id`: the bundle id or package name. `adTracking`: whether the person allows tracking for advertising. */
export type AppFacts = { platform: 'ios' | 'android'; adTracking?: boolean } & {
  [N in (typeof names)[number]]?: string
}

/** The app in which an event happened, from the event's field `app`. Undefined for an event of a page or a server. */
export function appFacts({ app }: TagEvent): AppFacts | undefined {
  if (typeof app !== 'object' || app === null) return undefined
  const given = app as Readonly<Record<string, unknown>>
  const { platform, adTracking } = given
  if (platform !== 'ios' && platform !== 'android') return undefined
  const facts: AppFacts = { platform }
  for (const name of names) {
    const text = given[name]
    if (typeof text === 'string' && text !== '' && text.length <= 200) facts[name] = text
  }
  return typeof adTracking === 'boolean' ? { ...facts, adTracking } : facts
}
