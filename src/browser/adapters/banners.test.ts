import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AdapterName, bannerAdapterNames } from '#contract/adapterNames.ts'
import { openAdapters } from './adapters.fixture.ts'

type Page = ReturnType<typeof openAdapters>
type Site = Page['site']
type Choice = { advertising: boolean; analytics: boolean; functional: boolean }

/** A banner in the state in which its script leaves it. `answer` simulates the visitor's answer. */
type FakeBanner = { load(site: Site): void; answer(site: Site, choice: Choice, page: Page): void }

const watched: Record<string, () => void> = {}
const banners: Partial<Record<AdapterName, FakeBanner>> = {
  cookiebot: {
    load: (site) => (site.Cookiebot = { consent: { preferences: false, statistics: false, marketing: false } }),
    answer(site, { advertising, analytics, functional }, page) {
      Object.assign(site.Cookiebot, {
        hasResponse: true,
        consent: { preferences: functional, statistics: analytics, marketing: advertising },
      })
      page.fire('CookiebotOnAccept')
    },
  },
  onetrust: {
    load(site) {
      site.OptanonActiveGroups = ',C0001,'
      site.OneTrust = { IsAlertBoxClosed: () => false }
    },
    answer(site, { advertising, analytics, functional }, page) {
      site.OneTrust = { IsAlertBoxClosed: () => true }
      const groups = [analytics && 'C0002', functional && 'C0003', advertising && 'C0004'].filter(Boolean)
      site.OptanonActiveGroups = `,C0001,${groups.join(',')},`
      page.fire('OneTrustGroupsUpdated')
    },
  },
  usercentrics: {
    load: (site) => (site.UC_UI = { isInitialized: () => true, isConsentRequired: () => true }),
    answer(site, { advertising, analytics, functional }, page) {
      const service = (categorySlug: string, status: boolean) => ({ categorySlug, consent: { status } })
      site.UC_UI.isConsentRequired = () => false
      site.UC_UI.getServicesBaseInfo = () => [
        ...[service('essential', true), service('marketing', true), service('marketing', advertising)],
        ...[service('analytics', analytics), service('functional', functional)],
      ]
      page.fire('UC_UI_CMP_EVENT')
    },
  },
  didomi: {
    load: (site) =>
      (site.Didomi = {
        getCurrentUserStatus: () => ({}),
        shouldUserStatusBeCollected: () => true,
        on: (_: string, run: () => void) => (watched.didomi = run),
      }),
    answer(site, { advertising, analytics, functional }) {
      const purposes = {
        cookies: { enabled: true },
        create_ads_profile: { enabled: true },
        select_personalized_ads: { enabled: advertising },
        market_research: { enabled: analytics },
        select_personalized_content: { enabled: functional },
      }
      Object.assign(site.Didomi, {
        shouldUserStatusBeCollected: () => false,
        getCurrentUserStatus: () => ({ purposes }),
      })
      watched.didomi!()
    },
  },
  consentmanager: {
    load(site) {
      site.agletAdapters.categories = { c1: 'functional', c2: 'advertising', c4: 'analytics' }
      site.cmpData = { userChoiceExists: false }
      site.__cmp = (command: string, parameter: [string, () => void]) => {
        if (command === 'getCMPData') return site.cmpData
        watched.consentmanager = parameter[1]
      }
    },
    answer(site, { advertising, analytics, functional }) {
      site.cmpData = { userChoiceExists: true, purposeConsents: { c1: functional, c2: advertising, c4: analytics } }
      watched.consentmanager!()
    },
  },
  cookieyes: {
    load(site) {
      site.cky = { categories: {}, isUserActionCompleted: false }
      site.getCkyConsent = () => site.cky
    },
    answer(site, { advertising, analytics, functional }, page) {
      const categories = { necessary: true, advertisement: advertising, analytics, functional }
      site.cky = { categories, isUserActionCompleted: true }
      page.fire('cookieyes_consent_update')
    },
  },
  shopifyConsent: {
    load(site) {
      site.visitorConsent = { marketing: '', analytics: '', preferences: '', sale_of_data: '' }
      site.Shopify = { customerPrivacy: { currentVisitorConsent: () => site.visitorConsent } }
    },
    answer(site, { advertising, analytics, functional }, page) {
      const word = (is: boolean) => (is ? 'yes' : 'no')
      const given = { marketing: word(advertising), analytics: word(analytics), preferences: word(functional) }
      site.visitorConsent = { ...given, sale_of_data: '' }
      page.fire('visitorConsentCollected')
    },
  },
  klaro: {
    load(site) {
      const services = [
        { name: 'meta', purposes: ['marketing'] },
        { name: 'ga', purposes: ['analytics'] },
        { name: 'chat', purposes: ['functional'] },
      ]
      const manager = {
        config: { services },
        confirmed: false,
        watch: ({ update }: { update(): void }) => (watched.klaro = update),
      }
      site.klaro = { getManager: () => manager }
    },
    answer(site, { advertising, analytics, functional }) {
      const savedConsents = { meta: advertising, ga: analytics, chat: functional }
      Object.assign(site.klaro.getManager(), { confirmed: true, savedConsents })
      watched.klaro!()
    },
  },
  cookieConsent: {
    load: (site) => (site.CookieConsent = { getConfig: () => ({}), validConsent: () => false, getCookie: () => 3 }),
    answer(site, choice, page) {
      const names = { advertising: 'ads', analytics: 'analytics', functional: 'functionality' }
      const of = (is: boolean) =>
        Object.entries(names).flatMap(([key, name]) => (choice[key as keyof Choice] === is ? [name] : []))
      Object.assign(site.CookieConsent, {
        validConsent: () => true,
        getUserPreferences: () => ({ acceptedCategories: of(true), rejectedCategories: of(false) }),
      })
      page.fire('cc:onConsent')
    },
  },
  tarteaucitron: {
    load(site) {
      const services = { gtag: { type: 'analytic' }, meta: { type: 'ads' }, chat: { type: 'support' } }
      site.tarteaucitron = { job: Object.keys(services), services, state: {} }
    },
    answer(site, { advertising, analytics, functional }, page) {
      site.tarteaucitron.state = { gtag: analytics, meta: advertising, chat: functional }
      page.fire('interval')
    },
  },
  complianz: {
    load(site) {
      site.granted = []
      site.cmplz_has_consent = (name: string) => site.granted.includes(name)
      site.cmplz_get_banner_status = () => site.status ?? 'show'
    },
    answer(site, { advertising, analytics, functional }, page) {
      const granted = [functional && 'preferences', analytics && 'statistics', advertising && 'marketing']
      Object.assign(site, { granted, status: 'dismissed' })
      page.fire('cmplz_status_change')
    },
  },
  wpConsent: {
    load: (site) => (site.wp_has_consent = (name: string) => site.document.cookie.includes(`wp_consent_${name}=allow`)),
    answer(site, { advertising, analytics, functional }, page) {
      const given = { functional: true, preferences: functional, statistics: analytics, marketing: advertising }
      const cookies = Object.entries(given).map(([name, is]) => `wp_consent_${name}=${is ? 'allow' : 'deny'}`)
      if (site.document.cookie === '') {
        site.document.cookie = cookies[0] // the first of several, which is not an answer yet
        page.fire('wp_listen_for_consent_change')
      }
      site.document.cookie = cookies.join('; ')
      page.fire('wp_listen_for_consent_change')
    },
  },
  borlabs: {
    load(site) {
      const services = { 'meta-pixel': 'advertising', tiktok: 'advertising', ga: 'analytics', chat: 'functional' }
      site.agletAdapters.categories = services
      site.BorlabsCookie = { Consents: { hasConsent: () => false } }
    },
    answer(site, { advertising, analytics, functional }, page) {
      const given: Record<string, boolean> = {
        'meta-pixel': advertising,
        tiktok: true,
        ga: analytics,
        chat: functional,
      }
      site.document.cookie = 'a=b; borlabs-cookie=%7B%7D'
      site.BorlabsCookie.Consents.hasConsent = (id: string) => given[id]
      page.fire('borlabs-cookie-consent-saved')
    },
  },
  iubenda: {
    load: (site) => (site._iub = { cs: { api: {}, consent: {} } }),
    answer(site, { advertising, analytics, functional }, page) {
      const purposes = { 1: true, 2: functional, 3: true, 4: analytics, 5: advertising }
      site._iub.cs.consent = { timestamp: '2026-11-20T12:00:00.000Z', version: '1.67.1', purposes }
      page.fire('interval')
    },
  },
  termly: {
    load: (site) =>
      (site.Termly = {
        getConsentState: () => ({ essential: true, analytics: true, advertising: true }),
        on: (_: string, run: () => void) => (watched.termly = run),
      }),
    answer(site, { advertising, analytics, functional }) {
      // its performance category is our analytics, so both have the same value
      const state = { essential: true, performance: analytics, analytics, advertising, functional }
      site.Termly.getConsentState = () => state
      watched.termly!()
    },
  },
  cookieFirst: {
    load: (site) => (site.CookieFirst = { consent: null }),
    answer(site, { advertising, analytics, functional }, page) {
      site.CookieFirst.consent = { necessary: true, performance: analytics, functional, advertising }
      page.fire('cf_consent')
    },
  },
  tcf: {
    load(site) {
      site.__tcfapi = (_: string, __: number, run: (data: object, isOk: boolean) => void) => {
        site.tell = (data: object) => run(data, true)
        run({ eventStatus: 'cmpuishown' }, true)
      }
    },
    answer(site, { advertising, analytics, functional }) {
      const consents = { 1: true, 3: advertising, 4: advertising, 5: functional, 6: functional, 8: analytics }
      const legitimateInterests = { 7: true, 9: true }
      const data = { tcString: 'CQ', gdprApplies: true, addtlConsent: '2~89~dv.', cmpId: 5 }
      site.tell({ ...data, eventStatus: 'useractioncomplete', purpose: { consents, legitimateInterests } })
    },
  },
}

const answered = bannerAdapterNames.filter((name) => name !== 'gpp')
const some: Choice = { advertising: true, analytics: false, functional: true }
const none: Choice = { advertising: false, analytics: false, functional: false }

for (const name of answered)
  describe(`the adapter of ${name}`, () => {
    const banner = banners[name]!
    const open = (isLate = false) => {
      const page = openAdapters()
      if (!isLate) banner.load(page.site)
      page.start(name)
      return page
    }
    const last = (page: Page) => page.others().at(-1)

    test('says that the visitor has not answered, then the answer, then another, each once', () => {
      const page = open()
      assert.deepEqual(page.others(), [['consent', 'default']])
      banner.answer(page.site, some, page)
      const [method, providers, categories, texts] = last(page)
      assert.deepEqual([method, providers ?? null, categories], ['consent', null, some])
      assert.equal(texts.banner, name)
      banner.answer(page.site, some, page)
      assert.equal(page.others().length, 2)
      banner.answer(page.site, none, page)
      assert.deepEqual(last(page)[2], none)
      assert.equal(page.others().length, 3)
      assert.deepEqual(page.warnings, [])
    })

    test('waits for a banner that comes late, and for ten seconds at most; without one nothing is assumed', () => {
      const page = open(true)
      page.fire('nothing')
      banner.load(page.site)
      page.fire('nothing')
      banner.answer(page.site, some, page)
      assert.deepEqual(last(page)[2], some)
      const without = open(true)
      for (let n = 0; n < 60; n++) without.fire('nothing')
      assert.deepEqual([without.others(), without.waiting()], [[], 0])
    })

    test('throws nothing into the page where the banner is another one', () => {
      for (const wrong of [{}, null, 7, () => {}, { getManager: () => 7, consent: 7, job: 7 }]) {
        const page = openAdapters()
        for (const global of ['Cookiebot', 'OneTrust', 'UC_UI', 'Didomi', '__cmp', 'getCkyConsent', 'Shopify', 'klaro'])
          page.site[global] = wrong
        Object.assign(page.site, { CookieConsent: wrong, tarteaucitron: wrong, __tcfapi: wrong, BorlabsCookie: wrong })
        Object.assign(page.site, { cmplz_has_consent: wrong, cmplz_get_banner_status: wrong, wp_has_consent: wrong })
        Object.assign(page.site, { _iub: wrong, Termly: wrong, CookieFirst: wrong })
        page.start(name)
        page.fire('x')
        assert.deepEqual(page.names(), [])
        assert.ok(page.others().every(([, given]: unknown[]) => given === 'default'))
      }
    })
  })

test('iubenda without purposes has one answer for all', () => {
  const page = openAdapters()
  page.site._iub = { cs: { api: {}, consent: { timestamp: 'now', consent: true } } }
  page.start('iubenda')
  assert.deepEqual(page.others().at(-1)[2], { advertising: true, analytics: true, functional: true })
})

test('Borlabs Cookie 2 is asked for each service, and a category of which the page names none is refused', () => {
  const page = openAdapters({ options: { categories: { 'facebook-pixel': 'advertising' } } })
  page.site.document.cookie = 'borlabs-cookie=%7B%7D'
  page.site.BorlabsCookie = { checkCookieConsent: (id: string) => id === 'facebook-pixel' }
  page.start('borlabs')
  assert.deepEqual(page.others().at(-1)[2], { advertising: true, analytics: false, functional: false })
})

test('of two banners the strictest counts, and no answer of one is none of the page', () => {
  const page = openAdapters()
  for (const name of ['cookiebot', 'onetrust'] as const) {
    banners[name]!.load(page.site)
    page.start(name)
  }
  banners.cookiebot!.answer(page.site, { ...some, analytics: true }, page)
  assert.deepEqual(page.others().at(-1), ['consent', 'default'])
  banners.onetrust!.answer(page.site, { advertising: true, analytics: true, functional: false }, page)
  const [, , categories, texts] = page.others().at(-1)
  assert.deepEqual(
    [categories, texts.banner],
    [{ advertising: true, analytics: true, functional: false }, 'cookiebot,onetrust'],
  )
})

test('Usercentrics 3 is read by its details, where an implicit consent is no answer', async () => {
  const page = openAdapters()
  const details = (type: string, state: string) => ({
    consent: { type },
    categories: { marketing: { state }, functional: { state: 'ALL_ACCEPTED' } },
  })
  page.site.__ucCmp = { getConsentDetails: async () => details('IMPLICIT', 'ALL_ACCEPTED') }
  page.start('usercentrics')
  await new Promise(setImmediate)
  assert.deepEqual(page.others(), [['consent', 'default']])
  page.site.__ucCmp = { getConsentDetails: async () => details('EXPLICIT', 'SOME_ACCEPTED') }
  page.fire('UC_CONSENT')
  await new Promise(setImmediate)
  assert.deepEqual(page.others().at(-1)[2], { advertising: false, analytics: false, functional: true })
})

test('the strings of TCF and GPP go with the answer; GPP alone adds to an answer that is there, and gives none', async () => {
  const openGpp = async (answer: object | undefined) => {
    const page = openAdapters()
    const told: unknown[][] = []
    page.site.aglet = async (...call: unknown[]) => (call[0] === 'getConsent' ? answer : void told.push(call))
    page.site.__gpp = (_: string, run: (event: object) => void) => {
      run({ pingData: { signalStatus: 'not ready' } })
      run({ pingData: { signalStatus: 'ready', gppString: 'DB', applicableSections: [7] } })
    }
    page.start('gpp')
    await new Promise(setImmediate)
    return { page, told }
  }
  assert.deepEqual((await openGpp(undefined)).told, [])
  const { told, page } = await openGpp({ consent: { all: true } })
  const texts = { banner: 'gpp', gpp: 'DB', gppSections: [7] }
  assert.deepEqual(told, [['consent', { all: true }, undefined, texts]])
  banners.tcf!.load(page.site)
  page.start('tcf')
  banners.tcf!.answer(page.site, some, page)
  const [, , categories, all] = told.at(-1)!
  assert.deepEqual(categories, some)
  assert.deepEqual(JSON.parse(JSON.stringify(all)), {
    ...{ banner: 'gpp,tcf', gpp: 'DB', gppSections: [7] },
    ...{ tcf: 'CQ', gdprApplies: true, addtlConsent: '2~89~dv.' },
  })
})
