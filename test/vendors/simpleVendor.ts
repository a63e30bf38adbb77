import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { TSchema } from '#contract/schema.ts'
import { type Got, insist, keyProblem, type MockVendor, type Reply, unless, type Visit } from './vendor.ts'

/** A vendor that is told by data: one call, one key, one schema of what it takes. */
export type SimpleVendor = {
  hosts: RegExp
  /** Default POST. */
  method?: string
  path: RegExp
  /** Where the key stands in a request. Absent: the vendor does not check one. */
  key?(got: Got): string | undefined
  /** What each of these must be. `json`: the whole body. */
  json?: TSchema
  form?: TSchema
  query?: TSchema
  /** Header names in lower case, with what their values look like. */
  headers?: Readonly<Record<string, RegExp>>
  /** Sentences about what no schema says. */
  also?(got: Got, now: number): string[]
  /** Default: 200 without a body. */
  good?: Reply
  /** The reply to a wrong key, and to a wrong request. Absent: the vendor does not tell, and answers `good`. */
  badKey?: (sentence: string) => Reply
  badPayload?: (sentence: string) => Reply
  /** Other answers that the vendor is known to give, by name. */
  failures?: Readonly<Record<string, { reply: (sentence: string) => Reply; means: DeliveryReason }>>
  visit?: Visit
  isAllInPath?: true
}

/** The stand-in of a vendor that is told by data. */
export function simpleVendor(spec: SimpleVendor): MockVendor {
  const parts = (['json', 'form', 'query'] as const).flatMap((part) => {
    const schema = spec[part]
    const insistPart = schema && insist(schema)
    return insistPart ? [(got: Got) => insistPart(got[part]).map((sentence) => `${part}: ${sentence}`)] : []
  })
  const { badKey, badPayload, visit, isAllInPath } = spec
  return {
    hosts: spec.hosts,
    ...(visit && { visit }),
    ...(isAllInPath && { isAllInPath }),
    check: (got, now) => ({
      key: spec.key ? keyProblem(spec.key(got)) : [],
      payload: [
        ...unless(got.method === (spec.method ?? 'POST'), `The method ${got.method} is not allowed.`),
        ...unless(spec.path.test(got.path), `The path ${got.path} is not there.`),
        ...Object.entries(spec.headers ?? {}).flatMap(([name, pattern]) =>
          unless(pattern.test(got.headers[name] ?? ''), `The header ${name} is wrong.`),
        ),
        ...parts.flatMap((check) => check(got)),
        ...(spec.also?.(got, now) ?? []),
      ],
    }),
    good: () => spec.good ?? { status: 200 },
    failures: {
      ...(badKey && { badKey: { reply: badKey, means: 'keyRejected' as const } }),
      ...(badPayload && { badPayload: { reply: badPayload, means: 'payloadRefused' as const } }),
      ...spec.failures,
    },
  }
}
