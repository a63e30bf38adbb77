import type { StandardKey } from '#contract/user.ts'

/** What is known of a person when an event is delivered, raw. */
export type Person = Readonly<Partial<Record<StandardKey | 'userId' | 'ip' | 'userAgent', string>>>

/** How one field of a vendor is made: from which key, normalised by which rule, hashed or plain. */
export type UserRule = { of: StandardKey | 'userId' | 'ip' | 'userAgent'; rule: string; hash?: 'sha256' }
