import { readStatedConsent } from '#consent/statedConsent.ts'
import type { ChannelRules, ChannelRulesWrite } from '#contract/rule/channelRules.ts'
import { ruleIssues } from '#contract/rule/ruleIssues.ts'
import { sourceNames } from '#contract/sourceNames.ts'
import { parseBody, parseObject } from '#event/parseBody.ts'
import { importGtm } from '#import/gtm/importGtm.ts'
import { importRudderStack } from '#import/rudderStack.ts'
import { importSegment } from '#import/segment/importSegment.ts'
import { importZaraz } from '#import/zaraz.ts'
import { compileRules } from '#rule/compileRules.ts'
import { regexIssue } from '#rule/regex.ts'
import { sourceAt } from '#sources/allSources.ts'
import { identifyCaller } from '#user/callerIdentity.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import { readUserFacts } from '#user/profile.ts'
import { importDeps } from '../../src/cli/operator/importDeps.ts'

/** A parser of untrusted bytes. It may refuse them with a Fault or an ImportError, and must throw nothing else. */
export type FuzzTarget = { name: string; read(input: Buffer): void }

const receivedAt = 1_700_000_000_000
const options = { tagName: 'shop', domain: 'shop.example', secretsFile: 'secrets.json' }

/** An address for each protocol of another product, with a header if it needs one. */
const addresses: readonly (readonly [path: string, headers?: Record<string, string>])[] = [
  ['/v1/batch'],
  ['/mp/collect'],
  ['/g/collect'],
  ['/cloudevents', { 'content-type': 'application/cloudevents-batch+json' }],
  ['/com.snowplowanalytics.snowplow/tp2'],
  ['/shopify/pixel'],
]

const sources = addresses.map(([path, headers = {}]): FuzzTarget => {
  const source = sourceAt(path, sourceNames)!
  return {
    name: `source ${source.name}${path === '/mp/collect' ? ' mp' : ''}`,
    read(body) {
      const query = new URLSearchParams(body.subarray(0, 512).toString('latin1'))
      const input = { method: 'POST', path, query, headers, body, trusted: false, brand: 'Aglet', receivedAt }
      source.keyOf(input)
      const payload = source.parse?.(body).payload
      for (const { event } of source.read({ ...input, payload })) parseObject(Buffer.from(JSON.stringify(event)))
    },
  }
})

export const targets: readonly FuzzTarget[] = [
  {
    name: 'body',
    read(input) {
      for (const { event } of parseBody(input, receivedAt).events) if (event) readUserFacts(event, noCaptureRules)
    },
  },
  { name: 'user data', read: (input) => void parseObject(input) },
  {
    name: 'caller',
    read(input) {
      const text = input.toString('latin1')
      identifyCaller({ header: undefined, cookie: text, query: text })
    },
  },
  {
    name: 'consent texts',
    read(input) {
      const text = input.toString('latin1')
      const consentTexts = { tcf: text, addtlConsent: text, gpp: text, gppSections: [7] }
      const tag = { scripts: [{ providerId: 'facebook', name: 'Meta' }] } as const
      readStatedConsent({ timestamp: receivedAt, storage: { service: { consentTexts } } }, receivedAt, 'Service', tag)
    },
  },
  ...sources,
  {
    name: 'channel rules',
    read(input) {
      const { filter, rename, map, sample } = parseObject(input)
      const given = Object.entries({ filter, rename, map, sample }).filter(([, value]) => value != null)
      const rules: unknown = Object.fromEntries(given)
      if (ruleIssues(rules as ChannelRulesWrite, regexIssue).length === 0) compileRules(rules as ChannelRules)
    },
  },
  { name: 'import gtm', read: (input) => void importGtm({ server: input }, options, importDeps) },
  { name: 'import zaraz', read: (input) => void importZaraz(input, options, importDeps) },
  {
    name: 'import segment',
    read: (input) => void importSegment(new Map([['a', input.toString()]]), options, importDeps),
  },
  { name: 'import rudderstack', read: (input) => void importRudderStack(input, options, importDeps) },
]
