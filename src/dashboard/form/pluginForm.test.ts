import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Tag } from '#contract/tag.ts'
import { moved, pluginFields, settingText, settingValue } from './pluginForm.ts'
import { changedSettings, switchAdapter, switchSource, tagDraftOf, tagUpdateOf } from './tagForm.ts'

const schema = {
  type: 'object',
  required: ['currency'],
  properties: {
    currency: { type: 'string', description: 'ISO 4217' },
    share: { type: 'number' },
    isOn: { type: 'boolean' },
    mode: { enum: ['one', 'two'] },
    also: { type: 'array', items: { type: 'string' } },
    rates: { type: 'object', additionalProperties: { type: 'number' } },
  },
}

test('each simple setting of a plugin has a field of its kind, and the others are JSON', () => {
  assert.deepEqual(
    pluginFields(schema).map(({ name, kind, isRequired }) => [name, kind, isRequired]),
    [
      ['currency', 'text', true],
      ['share', 'number', false],
      ['isOn', 'yesNo', false],
      ['mode', 'choice', false],
      ['also', 'lines', false],
      ['rates', 'json', false],
    ],
  )
  assert.deepEqual(pluginFields(undefined), [])
})

test('the text of a field gives its value back', () => {
  const values = { currency: 'EUR', share: 0.5, isOn: false, mode: 'two', also: ['a', 'b'], rates: { USD: 1.1 } }
  for (const field of pluginFields(schema)) {
    const value = values[field.name as keyof typeof values]
    assert.deepEqual(settingValue(field, settingText(field, value)), value)
    assert.equal(settingValue(field, settingText(field, undefined)), undefined)
  }
})

test('a move keeps every entry, and the opposite move undoes it', () =>
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.nat(), (entries, n) => {
      const at = n % entries.length
      const down = moved(entries, at, 1)
      assert.deepEqual([...down].sort(), [...entries].sort())
      if (at < entries.length - 1) assert.deepEqual(moved(down, at + 1, -1), entries)
      else assert.deepEqual(down, entries)
    }),
  ))

test('a save of a tag holds the changed settings alone', () => {
  const tag = {
    tagId: 'tag_1',
    name: 'Shop',
    domain: 'shop.example',
    tagUrl: 'https://t.example',
    hosts: [],
    allowedOrigins: ['https://shop.example'],
    consent: 'enabled',
    gpc: false,
    sameSite: 'Lax',
    serverToken: 'optional',
    hold: 'off',
    captureBeforeConsent: 'memory',
    sources: ['snowplow', 'segment'],
    adapters: [],
    passEventId: true,
    sdkVersion: 'latest',
    edgeVersion: 'latest',
    plugins: [],
    createdAt: '2026-11-23',
    version: 1,
    updatedAt: 1,
  }
  const saved = tag as unknown as Tag
  const draft = tagDraftOf(saved)
  assert.deepEqual(changedSettings(draft, saved), [])
  const changed = { ...draft, hold: '10', allowedOrigins: ' https://shop.example \n\nhttps://m.shop.example\n' }
  assert.deepEqual(tagUpdateOf(changed, saved), {
    hold: 10,
    allowedOrigins: ['https://shop.example', 'https://m.shop.example'],
  })
  const withGa = switchSource(draft.sources, 'ga4', true)
  assert.deepEqual(tagUpdateOf({ ...draft, sources: withGa }, saved), { sources: ['segment', 'ga4', 'snowplow'] })
  const back = switchSource(withGa, 'ga4', false)
  assert.deepEqual(tagUpdateOf({ ...draft, sources: back }, saved), {})
  assert.deepEqual(tagUpdateOf({ ...draft, defaultCountry: ' de ' }, saved), { defaultCountry: 'DE' })
  const german = { ...saved, defaultCountry: 'DE' }
  assert.deepEqual(tagUpdateOf({ ...tagDraftOf(german), defaultCountry: '' }, german), { defaultCountry: 'none' })
  const vendorless = { ...draft, tcf: draft.tcf.replace('vendor: required', 'vendor: not required') }
  assert.deepEqual(tagUpdateOf(vendorless, saved), { tcf: { requireVendor: false } })
  const on = switchAdapter(switchAdapter(draft, 'fbq', true), 'dataLayer', true)
  const layered = { ...draft, ...on, primaryAdapter: 'dataLayer', passEventId: false }
  assert.deepEqual(tagUpdateOf(layered, saved), {
    adapters: ['dataLayer', 'fbq'],
    primaryAdapter: 'dataLayer',
    passEventId: false,
  })
  assert.deepEqual(tagUpdateOf({ ...layered, ...switchAdapter(layered, 'dataLayer', false) }, saved), {
    adapters: ['fbq'],
    passEventId: false,
  })
  const none = switchSource(switchSource(back, 'segment', false), 'snowplow', false)
  assert.deepEqual(tagUpdateOf({ ...draft, sources: none, captureBeforeConsent: 'none' }, saved), {
    sources: [],
    captureBeforeConsent: 'none',
  })
})
