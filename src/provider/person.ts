import type { StandardKey } from '#contract/user.ts'

export type PersonKey = StandardKey | 'userId' | 'ip' | 'userAgent'

/** What is known of a person when an event is delivered, raw. */
export type Person = Readonly<Partial<Record<PersonKey, string>>>
