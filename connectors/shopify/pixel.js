// Aglet's custom pixel for Shopify. Paste it under Settings, Customer events, Add custom pixel. Choose "Permission: Not
// required" and "Data sale: Data collected does not qualify": the pixel itself asks for the visitor's answer and sends nothing
// before a yes. Write the address of your tag here:
const TAG_URL = 'https://t.shop.example'

const NAMES = [
  'page_viewed',
  'product_viewed',
  'collection_viewed',
  'search_submitted',
  'product_added_to_cart',
  'product_removed_from_cart',
  'cart_viewed',
  'checkout_started',
  'checkout_shipping_info_submitted',
  'payment_info_submitted',
  'checkout_completed',
]
// what vendors' own scripts leave for their servers
const COOKIES = ['_fbp', '_fbc', '_ttp', '_ga', '_gcl_au', '_gcl_aw', '_scid', '_epik', '_uetmsclkid']
const USER_KEY = 'aglet_user'
const MAX_WAITING = 50

const { analytics, browser, init, customerPrivacy } = api
const answerOf = ({ analyticsProcessingAllowed, marketingAllowed, preferencesProcessingAllowed, saleOfDataAllowed }) => ({
  analytics: analyticsProcessingAllowed,
  marketing: marketingAllowed,
  preferences: preferencesProcessingAllowed,
  saleOfData: saleOfDataAllowed,
})
let consent = answerOf(init.customerPrivacy)
const isAllowed = () => consent.analytics || consent.marketing

// Before a yes events wait in memory, and are gone with the page.
let waiting = []
let user

async function knownUser() {
  return (await browser.cookie.get('tag_user_id')) || (await browser.localStorage.getItem(USER_KEY)) || undefined
}

/** The id of the SDK in the theme, where there is one, else one of our own, which is stored only after a yes. */
async function findUser() {
  const known = await knownUser()
  if (known) return known
  const made = crypto.randomUUID()
  await browser.localStorage.setItem(USER_KEY, made)
  return made
}

async function readCookies() {
  const found = {}
  for (const name of COOKIES) {
    const value = await browser.cookie.get(name)
    if (value) found[name] = value
  }
  return found
}

// text/plain needs no preflight, and keepalive outlives the page
const send = (body) =>
  fetch(`${TAG_URL}/shopify/pixel`, {
    method: 'POST',
    keepalive: true,
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(body),
  }).catch(() => {})

async function sendWaiting() {
  const events = waiting
  waiting = []
  if (events.length === 0) return
  user ??= findUser()
  const [userId, cookies] = await Promise.all([user, readCookies()])
  await send({ userId, consent, cookies, events })
}

/** The parts of an event that the tag reads. */
const partsOf = ({ id, name, timestamp, context, data }) => ({
  id,
  name,
  timestamp,
  context: {
    document: {
      location: { href: context?.document?.location?.href },
      referrer: context?.document?.referrer,
      title: context?.document?.title,
    },
    navigator: { userAgent: context?.navigator?.userAgent },
  },
  data,
})

function take(event) {
  waiting.push(partsOf(event))
  if (waiting.length > MAX_WAITING) waiting.shift()
  if (isAllowed()) void sendWaiting()
}

async function takeAnswer(event) {
  const before = isAllowed()
  consent = answerOf(event.customerPrivacy)
  if (isAllowed()) await sendWaiting()
  else waiting = []
  // a refusal of somebody who is not known needs no storing
  const userId = before || isAllowed() ? await (user ?? knownUser()) : await knownUser()
  if (userId) await send({ userId, consent, events: [] })
}

for (const name of NAMES) analytics.subscribe(name, take)
customerPrivacy.subscribe('visitorConsentCollected', (event) => void takeAnswer(event))
