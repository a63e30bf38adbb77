import type { RuleKey, UserRules } from './userRule.ts'

/**
 * `strong`: the field alone nearly always finds the person. `medium`: it finds the same browser or app. `weak`: it
 * helps only together with others.
 */
export const matchStrengths = ['strong', 'medium', 'weak'] as const
type MatchStrength = (typeof matchStrengths)[number]

/** Fields of `user`, captured values and app ids. Each list has the strongest first. */
export type MatchKeys<Field extends string = string> = Readonly<Partial<Record<MatchStrength, readonly Field[]>>>

/**
 * `key`: the source of the value: a key of the person, `captured` or `app`. `vendorKey`: the vendor's field, or the
 * name of the captured value or id.
 */
export type MatchKey = { key: RuleKey | 'captured' | 'app'; vendorKey: string; strength: MatchStrength }

/** The match keys of a provider in one list, the strongest first. */
export const matchKeysOf = ({ matchKeys = {}, user }: { matchKeys?: MatchKeys; user: UserRules }): MatchKey[] =>
  matchStrengths.flatMap((strength) =>
    (matchKeys[strength] ?? []).map((field): MatchKey => {
      const [, place, name] = /^(captured|app)\.(.+)$/.exec(field) ?? []
      if (name !== undefined) return { key: place as 'captured' | 'app', vendorKey: name, strength }
      return { key: user[field]!.key, vendorKey: field, strength }
    }),
  )
