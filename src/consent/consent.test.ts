import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { providerIds } from '#contract/providerIds.ts'
import { consentCategories } from '#contract/script.ts'
import { agreed, consentIn, letsHave, readConsent, refusesAll, type StoredConsent, stanceOf } from './consent.ts'

const script = { providerId: 'facebook', name: 'main' } as const
const tag = { consent: 'enabled', gpc: false, scripts: [script] } as never as Parameters<typeof readConsent>[0]['tag']
type Case = {
  consent?: unknown
  consentCategories?: unknown
  own?: StoredConsent
  others?: StoredConsent[]
  ownsEmail?: boolean
  gpc?: true
  trusted?: boolean
  presented?: boolean
  storage?: never
  tag?: Partial<typeof tag>
}

const read = (given: Case) => {
  const { own, others, ownsEmail, gpc, trusted = false, presented = true, tag: more, storage, ...maps } = given
  return readConsent({
    event: { timestamp: 5, storage: storage === undefined ? { service: maps } : storage },
    context: { trusted, presented, ...(gpc && { gpc }) },
    tag: { ...tag, ...more },
    brand: 'Service',
    known: { own, ...(others && { others }), ...(ownsEmail && { ownsEmail }) },
  })
}
const allows = (given: Case, category: (typeof consentCategories)[number] = 'advertising') =>
  read(given).allows(script, category)

describe('the map of providers', () => {
  test('lets through what it names, and what it does not name by all', () => {
    assert.equal(allows({ consent: { all: true } }), true)
    assert.equal(allows({ consent: { all: false } }), false)
    assert.equal(allows({ consent: { facebook: true } }), true)
    assert.equal(allows({ consent: { all: true, facebook: false } }), false)
    assert.equal(allows({ consent: { klaviyo: true } }), false)
    assert.equal(allows({ consent: {} }), false)
  })

  test('names scripts below a provider, and the unnamed follow all', () => {
    assert.equal(allows({ consent: { facebook: { main: true } } }), true)
    assert.equal(allows({ consent: { all: true, facebook: { main: false } } }), false)
    assert.equal(allows({ consent: { all: true, facebook: { other: false } } }), true)
    assert.equal(allows({ consent: { facebook: { other: true } } }), false)
  })

  test('does not restrict when it was never given', () => {
    assert.equal(allows({ consentCategories: { advertising: true } }), true)
    assert.equal(allows({ consent: null, consentCategories: { advertising: true } }), true)
  })
})

describe('the map of categories', () => {
  test('lets through what it names, and what it does not name by all', () => {
    assert.equal(allows({ consentCategories: { analytics: true } }, 'analytics'), true)
    assert.equal(allows({ consentCategories: { analytics: true } }, 'advertising'), false)
    assert.equal(allows({ consentCategories: { all: true, advertising: false } }, 'advertising'), false)
    assert.equal(allows({ consentCategories: { all: true } }, 'functional'), true)
  })

  test('always lets through what is necessary', () => {
    assert.equal(allows({ consentCategories: { necessary: false, all: false } }, 'necessary'), true)
    assert.equal(allows({ consentCategories: {} }, 'necessary'), true)
    assert.equal(allows({ consent: { facebook: false }, consentCategories: {} }, 'necessary'), false)
  })

  test('must agree with the map of providers where both are given', () => {
    assert.equal(allows({ consent: { all: true }, consentCategories: { advertising: false } }), false)
    assert.equal(allows({ consent: { facebook: false }, consentCategories: { all: true } }), false)
    assert.equal(allows({ consent: { facebook: true }, consentCategories: { advertising: true } }), true)
  })

  test('share_pii absent is allowed, false is not, and all does not speak for it', () => {
    assert.equal(read({ consent: { all: true } }).sharePii, true)
    assert.equal(read({ consentCategories: { all: false } }).sharePii, true)
    assert.equal(read({ consentCategories: { all: true, share_pii: false } }).sharePii, false)
    assert.equal(read({ consentCategories: { all: true, share_pii: 'yes' } }).sharePii, false)
  })
})

describe('who decides', () => {
  const stored: StoredConsent = { at: 3, consent: { all: true } }

  test('the consent of the event decides for that event', () => {
    const consent = read({ consent: { all: false }, own: stored })
    assert.equal(consent.allows(script, 'analytics'), false)
    assert.deepEqual(consent.trace, { source: 'event', at: 5, decided: { consent: { all: false } } })
  })

  test('else what is stored decides', () => {
    const consent = read({ own: stored })
    assert.equal(consent.allows(script, 'advertising'), true)
    assert.deepEqual(consent.trace, { source: 'stored', at: 3, decided: { consent: { all: true } } })
  })

  test('else nothing is delivered, not even what is necessary', () => {
    for (const category of consentCategories) assert.equal(allows({}, category), false)
    assert.deepEqual(read({}).trace, { source: 'none' })
    assert.equal(read({}).sharePii, false)
  })

  test('the consent of an event loosens no refusal of anybody who is known by the e-mail', () => {
    const refused: StoredConsent = { at: 3, consent: { all: true, facebook: false } }
    const consent = read({ consent: { all: true }, others: [stored, refused] })
    assert.equal(consent.allows(script, 'advertising'), false)
    assert.equal(consent.allows({ providerId: 'klaviyo', name: 'x' }, 'advertising'), true)
    assert.deepEqual(consent.trace, {
      source: 'event',
      at: 5,
      decided: { consent: { all: true }, others: [{ consent: stored.consent }, { consent: refused.consent }] },
      joinedBy: 'email',
    })
    assert.equal(allows({ consent: { all: false }, others: [stored] }), false)
    const noPii: StoredConsent = { ...stored, consentCategories: { all: true, share_pii: false } }
    assert.equal(read({ consent: { all: true }, others: [noPii] }).sharePii, false)
    assert.equal(allows({ own: stored, others: [refused] }), false)
  })

  test('a trusted caller speaks for all who are known by the e-mail, where it says anything', () => {
    const refused: StoredConsent = { at: 3, consent: { all: false } }
    assert.equal(allows({ consent: { all: true }, others: [refused], trusted: true }), true)
    assert.equal(allows({ own: stored, others: [refused], trusted: true }), false)
  })

  test('the word of a user whom a trusted call gave the e-mail for is not undone by those who claim it', () => {
    const refused: StoredConsent = { at: 3, consent: { all: false } }
    assert.equal(allows({ own: stored, others: [refused], ownsEmail: true }), true)
    assert.equal(allows({ consent: { all: true }, others: [refused], ownsEmail: true }), true)
    assert.equal(allows({ own: refused, others: [stored], ownsEmail: true }), false)
  })

  test('what all who are known by the e-mail agree to is enough where the caller named nobody, and nowhere else', () => {
    const some: StoredConsent = { at: 4, consent: { all: true, klaviyo: false } }
    assert.equal(allows({ others: [stored, some], presented: false, ownsEmail: true }), true)
    const consent = read({ others: [stored, some], presented: false })
    assert.equal(consent.allows({ providerId: 'klaviyo', name: 'x' }, 'advertising'), false)
    assert.deepEqual([consent.trace.source, consent.trace.at, consent.trace.joinedBy], ['stored', 3, 'email'])
    assert.deepEqual(read({ others: [stored], presented: true }).trace, { source: 'none' })
    assert.deepEqual(read({ others: [], presented: false }).trace, { source: 'none' })
  })

  test('an e-mail whose refusals are not all known refuses everything', () => {
    assert.equal(allows({ consent: { all: true }, others: [refusesAll] }, 'necessary'), false)
    const { trace } = read({ others: [refusesAll], presented: false })
    assert.deepEqual(trace, { source: 'stored', decided: { consent: { all: false } }, joinedBy: 'email' })
  })

  test('the trace shows few of many other maps, each once', () => {
    const others = Array.from(
      { length: 40 },
      (_, n): StoredConsent => ({ at: n, consent: { all: n % 20 > 9, facebook: n % 7 === 0 } }),
    )
    const { decided } = read({ consent: { all: true }, others }).trace
    assert.equal((decided as { others: unknown[] }).others.length, 3)
  })

  test('a tag with consent disabled delivers everything', () => {
    const consent = read({
      consent: { all: false },
      consentCategories: { share_pii: false },
      tag: { consent: 'disabled' },
    })
    assert.equal(consent.allows(script, 'advertising'), true)
    assert.equal(consent.sharePii, true)
    assert.deepEqual(consent.trace, { source: 'disabled' })
  })

  test('Sec-GPC refuses advertising and share_pii on a tag with gpc, whatever the event says', () => {
    for (const maps of [{ consent: { all: true }, consentCategories: { all: true, share_pii: true } }, { own: stored }])
      for (const consent of ['enabled', 'disabled'] as const) {
        const read_ = read({ ...maps, gpc: true, tag: { gpc: true, consent } })
        assert.equal(read_.allows(script, 'advertising'), false)
        assert.equal(read_.allows(script, 'analytics'), true)
        assert.equal(read_.sharePii, false)
        assert.equal(read_.trace.decided?.gpc, true)
      }
    assert.equal(allows({ consent: { all: true }, gpc: true }), true)
    assert.equal(allows({ consent: { all: true }, tag: { gpc: true } }), true)
  })

  test('the brand names the place of the consent in storage, its first letter in lower case', () => {
    const event = { timestamp: 5, storage: { acmeTags: { consent: { all: true } }, service: {} } }
    const of = (brand: string) =>
      readConsent({ event, context: { trusted: false, presented: true }, tag, brand }).trace.source
    assert.deepEqual(['AcmeTags', 'Service', 'Other'].map(of), ['event', 'none', 'none'])
  })
})

describe('a sender that gets it wrong', () => {
  test('opens nothing: what is no boolean refuses, and what is no map refuses everything', () => {
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

  test('puts nothing personal in the trace: it holds known names and booleans only', () => {
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

  test('a script is allowed only if nothing that names it, or all for it, refuses', () => {
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
      { numRuns: 2_000 },
    )
  })

  test('taking a yes away never allows more', () => {
    fc.assert(
      fc.property(maps, maps, categories, (consent = {}, consentCategories = {}, category) => {
        for (const name of Object.keys(consent)) {
          const after = allows({ consent: { ...consent, [name]: false }, consentCategories }, category)
          assert.ok(!after || allows({ consent, consentCategories }, category))
        }
      }),
    )
  })

  test('who counts as one who agrees refuses nothing, by whatever name', () => {
    fc.assert(
      fc.property(maps, maps, categories, (consent, consentCategories, category) => {
        const stored = consentIn({ service: { consent, consentCategories } }, 'Service', tag)
        if (stored && stanceOf(stored) === 'agrees') assert.ok(letsHave(stored, script, category))
      }),
      { numRuns: 2_000 },
    )
    assert.deepEqual(
      [undefined, {}, { consent: { all: true } }, { consent: { all: true, facebook: { main: false } } }].map(stanceOf),
      ['unasked', 'refuses', 'agrees', 'refuses'],
    )
    assert.equal(stanceOf({ consent: { all: true }, consentCategories: { all: true, share_pii: false } }), 'refuses')
  })

  test('every provider id can be named', () => {
    for (const providerId of providerIds)
      assert.ok(read({ consent: { [providerId]: true } }).allows({ providerId, name: 'x' }, 'advertising'))
  })
})

describe('what is stored', () => {
  const yes: StoredConsent = { at: 5, consent: { all: true } }

  test('is what was agreed to last', () => {
    const no = { at: 6, consent: { all: false } }
    assert.equal(agreed(undefined, yes), yes)
    assert.equal(agreed(yes, no), no)
    assert.equal(agreed(no, yes), no)
    assert.equal(agreed(yes, undefined), yes)
  })

  test('keeps the time since when it is so', () => {
    assert.equal(agreed(yes, { ...yes, at: 9 }), yes)
  })
})
