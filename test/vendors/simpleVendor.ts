import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { TSchema } from '#contract/schema.ts'
import { type Got, insist, keyProblem, type MockVendor, type Reply, unless, type Visit } from './vendor.ts'

/** A vendor defined by data: one call, one key, one schema. */
export type SimpleVendor = {
  hosts: RegExp
  /** Default POST. */
  method?: string
  path: RegExp
  /** The key in a request. Absent: the vendor does not check one. */
  key?(got: Got): string | undefined
  /** The schemas of these parts. `json`: the whole body. */
  json?: TSchema
  form?: TSchema
  query?: TSchema
  /** Patterns of header values, by header name in lower case. */
  headers?: Readonly<Record<string, RegExp>>
  /** Messages about problems that no schema covers. */
  also?(got: Got, now: number): string[]
  /** Default: 200 without a body. */
  good?: Reply
  /** The reply to a wrong key, and to a wrong request. Absent: the vendor reports nothing, and answers `good`. */
  badKey?: (sentence: string) => Reply
  badPayload?: (sentence: string) => Reply
  /** Other answers that the vendor is known to give, by name. */
  failures?: Readonly<Record<string, { reply: (sentence: string) => Reply; means: DeliveryReason }>>
  visit?: Visit
  isAllInPath?: true
}

/** The fake of a vendor defined by data. */
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
