import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { consentCategories } from '#contract/script.ts'
import { allowsCase as allows, type ConsentCase as Case, readCase as read, tag } from './consent.fixture.ts'
import { consentStateOf } from './consentState.ts'
import { readStatedConsent, type StoredConsent } from './statedConsent.ts'

describe('a visitor who has not answered yet', () => {
  const stored: StoredConsent = { at: 3, consent: { all: true } }
  const defaults = { consentState: 'unanswered', consent: { all: true }, consentCategories: { all: true } }

  test('has agreed to nothing and refused nothing, whatever the defaults of the page are', () => {
    for (const maps of [defaults, { consentState: 'unanswered', consent: { all: false } }]) {
      for (const category of consentCategories) assert.equal(allows(maps, category), false)
      assert.deepEqual(read(maps).trace, { source: 'none', state: 'unanswered' })
      assert.equal(read(maps).signals.advertising, 'unknown')
    }
  })

  test('keeps the answer of before, which nobody else’s answer replaces', () => {
    assert.deepEqual(read({ ...defaults, own: stored }).trace, read({ own: stored }).trace)
    assert.equal(allows({ ...defaults, own: { at: 3, consent: { all: false } } }), false)
    for (const others of [{ joined: [stored] }, { claimed: [stored] }])
      assert.equal(allows({ ...defaults, ...others, hasExplicitUserId: false, trusted: true }), false)
  })

  test('stores no consent', () => {
    const event = { timestamp: 5, storage: { service: defaults } }
    assert.equal(readStatedConsent(event, 5, 'Service', tag).consent, undefined)
  })

  test('is a state of its own: any other text at its place leaves the maps an answer', () => {
    for (const consentState of ['answered', 'UNANSWERED', 'DEFAULT', true, null, ['unanswered'], {}])
      assert.equal(allows({ ...defaults, consentState }), true)
  })

  test('is delivered nowhere by the maps of anybody else, for any caller', () => {
    const map = fc.dictionary(fc.constantFrom('all', 'facebook', ...consentCategories), fc.boolean())
    fc.assert(
      fc.property(map, map, fc.boolean(), fc.boolean(), (mine, others, trusted, hasExplicitUserId) => {
        const known = { joined: [{ consent: others, at: 1 }], trusted, hasExplicitUserId }
        const given = { ...known, consent: mine, consentState: 'unanswered' }
        for (const category of consentCategories) assert.equal(allows(given, category), false)
      }),
    )
  })

  test('is granted by default what the page grants without a banner, unless the visitor answered before', () => {
    const granted = { consentState: 'default', consentCategories: { all: true } }
    const { trace } = read(granted)
    assert.deepEqual(trace, {
      source: 'event',
      at: 5,
      decided: { consentCategories: { all: true }, byDefault: true },
    })
    assert.equal(allows(granted), true)
    assert.equal(allows({ ...granted, own: { at: 3, consent: { all: false } } }), false)
    assert.equal(allows({ ...granted, joined: [{ at: 3, consent: { all: false } }] }), false)
    const event = { timestamp: 5, storage: { service: granted } }
    assert.equal(readStatedConsent(event, 5, 'Service', tag).consent, undefined, 'and is not stored')
  })

  test('is told by the state of a trace, beside who agreed and who refused', () => {
    const stateOf = (given: Case) => consentStateOf(read(given).trace)
    assert.deepEqual(
      [
        {},
        defaults,
        { consent: { all: true } },
        { consent: { all: false } },
        { consent: { facebook: { main: true } } },
      ].map(stateOf),
      ['unanswered', 'unanswered', 'agreed', 'refused', 'agreed'],
    )
    assert.equal(stateOf({ consentCategories: { necessary: true, share_pii: true, advertising: false } }), 'refused')
    assert.equal(stateOf({ tag: { consent: 'disabled' } }), undefined)
  })
})
