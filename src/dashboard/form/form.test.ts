import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRegions } from '../../geo/region.ts'
import {
  changedFields,
  changedSettings,
  draftOf,
  isAsked,
  isChanged,
  issuesByField,
  missingFields,
  type ProviderRow,
  parseSealed,
  sealFields,
  writeBody,
} from './channelForm.ts'
import { sealingKey } from './form.fixture.ts'
import { parseRegionText, regionChoices, regionSentence, regionText, searchRegions } from './regions.ts'
import { consentSnippets, policyLines, snippets, waitsForConsent } from './snippet.ts'
import { domainOf, originOf } from './tagForm.ts'

const provider: ProviderRow = {
  value: 'facebook',
  label: 'Meta',
  consentCategory: ['advertising'],
  secrets: [
    { variable: 'ID', type: 'IDENTIFIER', sensitive: false, label: 'Pixel ID', inputType: 'text' },
    { variable: 'TOKEN', type: 'PASSWORD', sensitive: true, inputType: 'password' },
    { variable: 'TEST', type: 'TEXT', sensitive: false, optional: true, inputType: 'text' },
  ],
}
const script = {
  scriptId: 'scr_1',
  name: 'My Meta',
  providerId: 'facebook',
  createdAt: '2026-11-23',
  purchaseValueMode: 'net',
  version: 1,
  updatedAt: 0,
  secrets: { ID: { isSet: true, value: '42' }, TOKEN: { isSet: true } },
} as const

test('a saved secret is kept and never shown; only what is changed is sent', () => {
  const draft = draftOf(provider, script)
  assert.deepEqual(draft.fields.TOKEN, { text: '', isKept: true, setAt: undefined })
  assert.equal(draft.fields.ID?.text, '42')
  assert.deepEqual([changedFields(provider, draft, script), isChanged(provider, draft, script)], [[], false])
  const replaced = { ...draft, fields: { ...draft.fields, TOKEN: { text: 'new', isKept: false } } }
  assert.deepEqual(
    changedFields(provider, replaced, script).map(({ variable }) => variable),
    ['TOKEN'],
  )
})

test('of a new channel the first option of an optional variable is the default of the server, and is not sent', () => {
  const options = ['object', 'array'].map((value) => ({ value }))
  const row = {
    variable: 'FORMAT',
    type: 'TEXT',
    sensitive: false,
    optional: true,
    inputType: 'select',
    options,
  } as const
  const withChoice: ProviderRow = { ...provider, secrets: [{ ...row, options: [...options] }] }
  const draft = draftOf(withChoice)
  assert.equal(draft.fields.FORMAT?.text, 'object')
  assert.deepEqual(changedFields(withChoice, draft), [])
  const array = { ...draft, fields: { FORMAT: { text: 'array', isKept: false } } }
  assert.deepEqual(
    changedFields(withChoice, array).map(({ variable }) => variable),
    ['FORMAT'],
  )
})

test('what is required and empty is named by its field', () => {
  assert.deepEqual(missingFields(provider, { ...draftOf(provider), name: ' ' }), ['name', 'ID', 'TOKEN'])
  assert.deepEqual(missingFields(provider, draftOf(provider, script)), [])
})

const alternatives: ProviderRow = {
  value: 'twitter',
  credentialSets: [['TOKEN'], ['KEY', 'SECRET']],
  secrets: [
    { variable: 'PIXEL', type: 'IDENTIFIER', sensitive: false, inputType: 'text' },
    { variable: 'TOKEN', type: 'PASSWORD', sensitive: true, optional: true, inputType: 'password', group: [0] },
    { variable: 'KEY', type: 'PASSWORD', sensitive: true, optional: true, inputType: 'password', group: [1] },
    { variable: 'SECRET', type: 'PASSWORD', sensitive: true, optional: true, inputType: 'password', group: [1] },
  ],
}

test('of alternative credentials the chosen ones are required, and the others are not asked for', () => {
  const draft = draftOf(alternatives)
  assert.deepEqual(missingFields(alternatives, draft), ['PIXEL', 'TOKEN'])
  const other = { ...draft, credentialSet: 1 }
  assert.deepEqual(missingFields(alternatives, other), ['PIXEL', 'KEY', 'SECRET'])
  assert.deepEqual(
    alternatives.secrets?.filter((row) => isAsked(row, other)).map(({ variable }) => variable),
    ['PIXEL', 'KEY', 'SECRET'],
  )
})

test('a saved channel opens with the credentials that it has; choosing others unsets them', async () => {
  const saved = {
    ...script,
    providerId: 'twitter' as const,
    secrets: { PIXEL: { isSet: true, value: '42' }, KEY: { isSet: true }, SECRET: { isSet: true } },
  }
  const draft = draftOf(alternatives, saved)
  assert.equal(draft.credentialSet, 1)
  assert.deepEqual(changedFields(alternatives, draft, saved), [])
  const fields = { ...draft.fields, TOKEN: { text: 'new', isKept: false } }
  const chosen = { ...draft, credentialSet: 0, fields }
  assert.deepEqual(
    changedFields(alternatives, chosen, saved).map(({ variable }) => variable),
    ['TOKEN', 'KEY', 'SECRET'],
  )
})

test('the plaintext of a field is in no part of the body', async () => {
  const draft = {
    ...draftOf(provider),
    fields: { ...draftOf(provider).fields, TOKEN: { text: 'canary', isKept: false } },
  }
  const rows = changedFields(provider, draft)
  const key = await sealingKey()
  const secrets = await sealFields(provider, rows, draft, { environment: 'production', teamId: 'team_1', key })
  const body = writeBody(provider, 'tag_1', draft, secrets, true)
  assert.deepEqual(
    body.secrets?.map(({ variable }) => variable),
    ['TOKEN'],
  )
  assert.ok(!JSON.stringify(body).includes('canary'))
})

test('a save of a form names the settings alone that the person changed', () => {
  const draft = draftOf(provider, script)
  assert.deepEqual(changedSettings(provider, draft, script), {})
  const renamed = { ...draft, name: 'Other ', geoRegions: ' DE' }
  assert.deepEqual(changedSettings(provider, renamed, script), { name: 'Other', geoRegions: 'DE' })
})

test('a pasted address is taken apart: of a domain the host name stays, of an origin its own', () => {
  assert.equal(domainOf(' https://www.shop.example/products/shoe?utm=1#a '), 'www.shop.example')
  assert.equal(domainOf('shop.example/'), 'shop.example')
  assert.equal(domainOf('shop.example:8080'), 'shop.example')
  assert.equal(domainOf('shop.example'), 'shop.example')
  assert.equal(domainOf('not a name'), 'not a name')
  assert.equal(originOf('https://shop.example/cart?x'), 'https://shop.example')
  assert.equal(originOf('shop.example'), 'https://shop.example')
  assert.equal(originOf('http://localhost:3000/'), 'http://localhost:3000')
  assert.equal(originOf('no origin'), 'no origin')
})

test('a sealed entry from the command line is taken for its own variable alone', () => {
  const entry = { variable: 'TOKEN', type: 'PASSWORD', data: 'd', iv: 'i', key: 'k' }
  assert.deepEqual(parseSealed(JSON.stringify(entry), 'TOKEN'), entry)
  assert.equal(parseSealed(JSON.stringify(entry), 'ID'), undefined)
  assert.equal(parseSealed('no', 'ID'), undefined)
})

test('an issue of the server goes to its field', () => {
  const sent = [provider.secrets![1]!]
  const issues = [
    { path: 'secrets.0', message: 'cannot be decrypted' },
    { path: 'secrets', message: 'ID is required' },
    { path: 'geoRegions', message: '"XX" is no region' },
    { path: 'tagId', message: 'is wrong' },
  ]
  const expected = {
    TOKEN: 'cannot be decrypted',
    ID: 'is required',
    geoRegions: '"XX" is no region',
    '': 'tagId: is wrong',
  }
  assert.deepEqual(issuesByField(issues, sent, provider), expected)
})

test('every region that is offered is one that the server knows, and a text stays the same through its entries', () => {
  const codes = regionChoices().map(({ code }) => code)
  assert.ok(codes.length > 240, `${codes.length}`)
  const unknown = codes.filter((code) => 'issues' in parseRegions(code))
  assert.deepEqual(unknown, [])
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...codes)), (chosen) => {
      const text = chosen.map((code, at) => (at % 2 ? `-${code}` : code)).join(',')
      assert.equal(regionText(parseRegionText(text)), text)
    }),
  )
})

test('regions are read as a sentence and found by name', () => {
  assert.equal(regionSentence(parseRegionText('eu, US,-us-ca')), 'From the EU and United States, but not from US-CA.')
  assert.equal(regionSentence([]), 'From everywhere.')
  assert.deepEqual(
    searchRegions('germ', []).map(({ code }) => code),
    ['DE'],
  )
  assert.deepEqual(
    searchRegions('us-ca', []).map(({ code }) => code),
    ['US-CA'],
  )
  assert.deepEqual(searchRegions('germ', parseRegionText('DE')), [])
})

test('a tag whose SDK does nothing before a consent shows the call of the banner', () => {
  const waits = (consent: 'enabled' | 'disabled', captureBeforeConsent: 'all' | 'memory' | 'none') =>
    waitsForConsent({ consent, captureBeforeConsent })
  assert.deepEqual([waits('enabled', 'memory'), waits('enabled', 'none')], [true, true])
  assert.deepEqual([waits('enabled', 'all'), waits('disabled', 'memory')], [false, false])
  for (const text of Object.values(consentSnippets)) assert.match(text, /consent.*all: true/)
  for (const kind of ['server', 'typescript'] as const) assert.match(snippets[kind]('https://d.example'), /consent/)
})

test('the snippets hold the address of the tag', () => {
  const tagUrl = 'https://d.example/t/tag_1'
  for (const text of Object.values(snippets)) assert.ok(text(tagUrl).includes(tagUrl))
  assert.equal(policyLines(tagUrl), 'script-src https://d.example; connect-src https://d.example')
})
