import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { providerIds } from '#contract/providerIds.ts'
import { consentCategories } from '#contract/script.ts'
import { cases } from '../../test/fake/cases.ts'
import { allowsCase as allows, type ConsentCase as Case, readCase as read, script, tag } from './consent.fixture.ts'
import { allowsWithPii, mergeConsent, overallConsentOf, refusesAll } from './consent.ts'
import { readStatedConsent, type StoredConsent } from './statedConsent.ts'

describe('the map of providers', () => {
  test('decides a provider by its entry, else by all', () => {
    assert.equal(allows({ consent: { all: true } }), true)
    assert.equal(allows({ consent: { all: false } }), false)
    assert.equal(allows({ consent: { facebook: true } }), true)
    assert.equal(allows({ consent: { all: true, facebook: false } }), false)
    assert.equal(allows({ consent: { klaviyo: true } }), false)
    assert.equal(allows({ consent: {} }), false)
  })

  test('keeps of the names below a provider those of its own scripts, so that a stranger fills no profile with them', () => {
    const names = Object.fromEntries([...providerIds, 'all'].map((id) => [id, { main: true, other: true }]))
    const event = { timestamp: 5, storage: { service: { consent: names } } } as never
    const { consent } = readStatedConsent(event, 5, 'Service', tag).consent!
    assert.deepEqual(consent?.facebook, { main: true })
    assert.ok(Object.entries(consent!).every(([id, entry]) => id === 'facebook' || Object.keys(entry).length === 0))
  })

  test('decides a script by its entry below the provider, else by all', () => {
    assert.equal(allows({ consent: { facebook: { main: true } } }), true)
    assert.equal(allows({ consent: { all: true, facebook: { main: false } } }), false)
    assert.equal(allows({ consent: { all: true, facebook: { other: false } } }), true)
    assert.equal(allows({ consent: { facebook: { other: true } } }), false)
  })

  test('restricts nothing when it is absent', () => {
    assert.equal(allows({ consentCategories: { advertising: true } }), true)
    assert.equal(allows({ consent: null, consentCategories: { advertising: true } }), true)
  })
})

describe('the map of categories', () => {
  test('decides a category by its entry, else by all', () => {
    assert.equal(allows({ consentCategories: { analytics: true } }, 'analytics'), true)
    assert.equal(allows({ consentCategories: { analytics: true } }, 'advertising'), false)
    assert.equal(allows({ consentCategories: { all: true, advertising: false } }, 'advertising'), false)
    assert.equal(allows({ consentCategories: { all: true } }, 'functional'), true)
  })

  test('never refuses the category necessary', () => {
    assert.equal(allows({ consentCategories: { necessary: false, all: false } }, 'necessary'), true)
    assert.equal(allows({ consentCategories: {} }, 'necessary'), true)
    assert.equal(allows({ consent: { facebook: false }, consentCategories: {} }, 'necessary'), false)
  })

  test('refuses a delivery independently of the map of providers', () => {
    assert.equal(allows({ consent: { all: true }, consentCategories: { advertising: false } }), false)
    assert.equal(allows({ consent: { facebook: false }, consentCategories: { all: true } }), false)
    assert.equal(allows({ consent: { facebook: true }, consentCategories: { advertising: true } }), true)
  })

  test('allows share_pii where it is absent, whatever all is, and refuses it where it is not true', () => {
    assert.equal(read({ consent: { all: true } }).sharePii, true)
    assert.equal(read({ consentCategories: { all: false } }).sharePii, true)
    assert.equal(read({ consentCategories: { all: true, share_pii: false } }).sharePii, false)
    assert.equal(read({ consentCategories: { all: true, share_pii: 'yes' } }).sharePii, false)
  })
})

describe('the deciding consent', () => {
  const stored: StoredConsent = { at: 3, consent: { all: true } }

  test('is the consent of the event, where it has one', () => {
    const consent = read({ consent: { all: false }, own: stored })
    assert.equal(consent.allows(script, 'analytics'), false)
    assert.deepEqual(consent.trace, { source: 'event', at: 5, decided: { consent: { all: false } } })
  })

  test('is the stored consent of the user, where the event has none', () => {
    const consent = read({ own: stored })
    assert.equal(consent.allows(script, 'advertising'), true)
    assert.deepEqual(consent.trace, { source: 'stored', at: 3, decided: { consent: { all: true } } })
  })

  test('does not exist without either, and nothing is delivered, not even necessary events', () => {
    for (const category of consentCategories) assert.equal(allows({}, category), false)
    assert.deepEqual(read({}).trace, { source: 'none' })
    assert.equal(read({}).sharePii, false)
  })

  test('overrides no refusal of the user to whom a trusted call gave the e-mail', () => {
    const refused: StoredConsent = { at: 3, consent: { all: true, facebook: false } }
    const consent = read({ consent: { all: true }, joined: [refused], claimed: [stored] })
    assert.equal(consent.allows(script, 'advertising'), false)
    assert.equal(consent.allows({ providerId: 'klaviyo', name: 'x' }, 'advertising'), true)
    assert.deepEqual(consent.trace, {
      source: 'event',
      at: 5,
      decided: { consent: { all: true }, others: [{ consent: refused.consent }] },
      joinedBy: 'email',
    })
    assert.equal(allows({ consent: { all: false }, joined: [stored] }), false)
    const noPii: StoredConsent = { ...stored, consentCategories: { all: true, share_pii: false } }
    assert.equal(read({ consent: { all: true }, joined: [noPii] }).sharePii, false)
    assert.equal(allows({ own: stored, joined: [refused] }), false)
  })

  test('overrides that user where a trusted caller sent it in the event', () => {
    const refused: StoredConsent = { at: 3, consent: { all: false } }
    assert.equal(allows({ consent: { all: true }, joined: [refused], trusted: true }), true)
    assert.equal(allows({ own: stored, joined: [refused], trusted: true }), false)
  })

  test('is not restricted by who only claims the e-mail, where the event or its device states a consent', () => {
    const refused: StoredConsent = { at: 3, consent: { all: false } }
    for (const claimed of [[refused], [refusesAll], [stored, refused]])
      for (const trusted of [false, true])
        for (const stated of [{ own: stored }, { consent: { all: true } }])
          assert.equal(allows({ ...stated, claimed, trusted }), true)
    assert.equal(allows({ own: refused, claimed: [stored] }), false)
  })

  test('is that of all claimants of the e-mail only where the caller sent no user id and nothing is stated', () => {
    const some: StoredConsent = { at: 4, consent: { all: true, klaviyo: false } }
    const consent = read({ claimed: [stored, some], hasExplicitUserId: false })
    assert.equal(consent.allows(script, 'advertising'), true)
    assert.equal(consent.allows({ providerId: 'klaviyo', name: 'x' }, 'advertising'), false)
    assert.deepEqual([consent.trace.source, consent.trace.at, consent.trace.joinedBy], ['stored', 3, 'email'])
    assert.deepEqual(read({ claimed: [stored], hasExplicitUserId: true }).trace, { source: 'none' })
    assert.deepEqual(read({ claimed: [], hasExplicitUserId: false }).trace, { source: 'none' })
  })

  test('of claimants grants nothing where they are too many to read', () => {
    assert.equal(allows({ claimed: [refusesAll], hasExplicitUserId: false }, 'necessary'), false)
    const { trace } = read({ claimed: [refusesAll], hasExplicitUserId: false })
    assert.deepEqual(trace, { source: 'stored', decided: { consent: { all: false } }, joinedBy: 'email' })
  })

  test('is traced with at most three different maps of claimants', () => {
    const claimed = Array.from(
      { length: 40 },
      (_, n): StoredConsent => ({ at: n, consent: { all: n % 20 > 9, facebook: n % 7 === 0 } }),
    )
    const { decided } = read({ claimed, hasExplicitUserId: false }).trace
    assert.equal((decided as { others: unknown[] }).others.length, 3)
  })

  test('is not needed by a tag with consent disabled, which delivers everything', () => {
    const consent = read({
      consent: { all: false },
      consentCategories: { share_pii: false },
      tag: { consent: 'disabled' },
    })
    assert.equal(consent.allows(script, 'advertising'), true)
    assert.equal(consent.sharePii, true)
    assert.deepEqual(consent.trace, { source: 'disabled' })
  })

  test('never allows advertising or share_pii for Sec-GPC on a tag with gpc', () => {
    for (const maps of [{ consent: { all: true }, consentCategories: { all: true, share_pii: true } }, { own: stored }])
      for (const consent of ['enabled', 'disabled'] as const) {
        const decided = read({ ...maps, gpc: true, tag: { gpc: true, consent } })
        assert.equal(decided.allows(script, 'advertising'), false)
        assert.equal(decided.allows(script, 'analytics'), true)
        assert.equal(decided.sharePii, false)
        assert.equal(decided.trace.decided?.gpc, true)
      }
    assert.equal(allows({ consent: { all: true }, gpc: true }), true)
    assert.equal(allows({ consent: { all: true }, tag: { gpc: true } }), true)
  })

  test('is read from the storage key that is the brand with its first letter in lower case', () => {
    const event = { timestamp: 5, storage: { acmeTags: { consent: { all: true } }, service: {} } }
    const of = (brand: string) => (readStatedConsent(event, 5, brand, tag).consent ? 'event' : 'none')
    assert.deepEqual(['AcmeTags', 'Service', 'Other'].map(of), ['event', 'none', 'none'])
  })
})

describe('an invalid consent', () => {
  test('allows nothing: an entry that is not a boolean refuses, and a value that is not a map refuses everything', () => {
    for (const wrong of ['true', 1, [], ['facebook'], () => true]) {
      assert.equal(allows({ consent: { facebook: wrong, all: true } }), false)
      assert.equal(allows({ consent: { all: wrong } }), false)
      assert.equal(allows({ consent: wrong }), false)
      assert.equal(allows({ consent: { facebook: { main: wrong }, all: true } }), false)
      assert.equal(allows({ consent: { all: true }, consentCategories: wrong }), false)
    }
    for (const storage of [{}, null, { service: 'all' }, { service: null }, { service: ['consent'] }])
      assert.equal(read({ storage: storage as never }).trace.source, 'none')
  })

  test('adds no personal data to the trace, which holds only known names and booleans', () => {
    const personal = { 'jane@example.com': true, facebook: { 'jane@example.com': true, main: 'jane@example.com' } }
    const { trace } = read({ consent: personal, consentCategories: { ...personal, analytics: 'jane@example.com' } })
    assert.deepEqual(trace.decided, { consent: { facebook: { main: false } }, consentCategories: { analytics: false } })
  })
})

describe('for any maps', () => {
  const entry = fc.oneof(fc.boolean(), fc.dictionary(fc.constantFrom('main', 'other'), fc.boolean()), fc.anything())
  const maps = fc.option(
    fc.dictionary(fc.constantFrom('all', 'facebook', 'klaviyo', ...consentCategories, 'share_pii'), entry),
    {
      nil: undefined,
    },
  )
  const categories = fc.constantFrom(...consentCategories)

  test('a script is allowed only if its entries, or all in their place, are true', () => {
    fc.assert(
      fc.property(maps, maps, categories, (consent, consentCategories, category) => {
        const decided = (map: Record<string, unknown> | undefined, name: string) => {
          if (!map) return true
          const own = Object.hasOwn(map, name) ? map[name] : undefined
          const below = typeof own === 'object' && own !== null && !Array.isArray(own) && name === 'facebook'
          const one = below ? (own as Record<string, unknown>).main : own
          return one === undefined && (below || !Object.hasOwn(map, name)) ? map.all === true : one === true
        }
        const expected =
          (consent !== undefined || consentCategories !== undefined) &&
          decided(consent, 'facebook') &&
          (category === 'necessary' || decided(consentCategories, category))
        assert.equal(allows({ consent, consentCategories }, category), expected)
      }),
      { numRuns: cases(2_000) },
    )
  })

  test('setting an entry to false never allows more', () => {
    fc.assert(
      fc.property(maps, maps, categories, (consent = {}, consentCategories = {}, category) => {
        for (const name of Object.keys(consent)) {
          const after = allows({ consent: { ...consent, [name]: false }, consentCategories }, category)
          assert.ok(!after || allows({ consent, consentCategories }, category))
        }
      }),
    )
  })

  test('a user whose overall consent agrees refuses nothing', () => {
    fc.assert(
      fc.property(maps, maps, categories, (consent, consentCategories, category) => {
        const storage = { service: { consent, consentCategories } }
        const { consent: stored } = readStatedConsent({ storage, timestamp: 5 }, 5, 'Service', tag)
        if (stored && overallConsentOf(stored) === 'agrees') assert.ok(allowsWithPii(stored, script, category))
      }),
      { numRuns: cases(2_000) },
    )
    assert.deepEqual(
      [undefined, {}, { consent: { all: true } }, { consent: { all: true, facebook: { main: false } } }].map(
        overallConsentOf,
      ),
      ['unasked', 'refuses', 'agrees', 'refuses'],
    )
    assert.equal(
      overallConsentOf({ consent: { all: true }, consentCategories: { all: true, share_pii: false } }),
      'refuses',
    )
  })

  test('every provider id can have an entry', () => {
    for (const providerId of providerIds)
      assert.ok(read({ consent: { [providerId]: true } }).allows({ providerId, name: 'x' }, 'advertising'))
  })
})

describe('the stored consent', () => {
  const yes: StoredConsent = { at: 5, consent: { all: true } }

  test('is the latest', () => {
    const no = { at: 6, consent: { all: false } }
    assert.equal(mergeConsent(undefined, yes), yes)
    assert.equal(mergeConsent(yes, no), no)
    assert.equal(mergeConsent(no, yes), no)
    assert.equal(mergeConsent(yes, undefined), yes)
  })

  test('keeps its time where an equal consent follows', () => {
    assert.equal(mergeConsent(yes, { ...yes, at: 9 }), yes)
  })
})

describe('the signals for vendors', () => {
  const signals = (given: Case) => read(given).signals
  const all = (value: string) => ({
    ...{ advertising: value, analytics: value, functional: value },
    ...{ adUserData: value, adPersonalization: value },
  })

  test('are granted or denied by the entry of the category, else by all', () => {
    assert.deepEqual(signals({ consentCategories: { all: true, analytics: false, share_pii: false } }), {
      ...all('granted'),
      analytics: 'denied',
      sharePii: 'denied',
      adUserData: 'denied',
    })
    assert.deepEqual(signals({ consentCategories: { advertising: true, share_pii: true } }), {
      ...all('granted'),
      analytics: 'denied',
      functional: 'denied',
      sharePii: 'granted',
    })
  })

  test('are unknown where no map of categories decides, and share_pii does not follow all', () => {
    assert.deepEqual(signals({ consent: { all: true } }), { ...all('unknown'), sharePii: 'unknown' })
    assert.deepEqual(signals({}), { ...all('unknown'), sharePii: 'unknown' })
    assert.deepEqual(signals({ consentCategories: { all: true } }), { ...all('granted'), sharePii: 'unknown' })
    const disabled = { tag: { consent: 'disabled' }, consentCategories: { all: true } } as const
    assert.deepEqual(signals(disabled), { ...all('unknown'), sharePii: 'unknown' })
  })

  test('of Google are two: its data follows share_pii, and personalisation an entry of its own', () => {
    const two = (consentCategories: object) => {
      const { adUserData, adPersonalization } = signals({ consentCategories: { all: true, ...consentCategories } })
      return [adUserData, adPersonalization]
    }
    assert.deepEqual(two({}), ['granted', 'granted'])
    assert.deepEqual(two({ ad_personalization: false }), ['granted', 'denied'])
    assert.deepEqual(two({ ad_personalization: 'yes' }), ['granted', 'denied'])
    assert.deepEqual(two({ share_pii: false, ad_personalization: true }), ['denied', 'granted'])
    assert.deepEqual(two({ advertising: false, ad_personalization: true }), ['denied', 'denied'])
    assert.deepEqual(two({ all: false, ad_personalization: true }), ['denied', 'denied'])
  })

  test('deny advertising and share_pii under GPC', () => {
    const gpc = { gpc: true, tag: { gpc: true } } as const
    const { advertising, analytics, sharePii } = signals({ ...gpc, consentCategories: { all: true, share_pii: true } })
    assert.deepEqual([advertising, analytics, sharePii], ['denied', 'granted', 'denied'])
  })

  test('agree with the decisions about deliveries and share_pii', () => {
    const map = fc.dictionary(fc.constantFrom(...consentCategories, 'all', 'share_pii'), fc.boolean())
    fc.assert(
      fc.property(map, map, fc.boolean(), (given, stored, gpc) => {
        const decided = read({
          consentCategories: given,
          joined: [{ consentCategories: stored, at: 1 }],
          tag: { gpc },
          ...(gpc && { gpc: true }),
        })
        for (const category of ['advertising', 'analytics', 'functional'] as const)
          assert.equal(decided.signals[category] === 'granted', decided.allows(script, category), category)
        assert.equal(decided.signals.sharePii === 'denied', !decided.sharePii)
      }),
    )
  })
})
