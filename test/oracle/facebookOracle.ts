import { at, lead, type Oracle, type OraclePerson, ofPeople, purchase, person as visitor } from './oracle.ts'

type Chained = { [method: string]: (value: unknown) => Chained }
type Sdk = Record<
  'EventRequest' | 'ServerEvent' | 'UserData' | 'CustomData' | 'Content',
  new (
    ...args: unknown[]
  ) => Chained
>

/** A person as shops send one. */
const person = {
  ...visitor,
  email: ' Ada.Lovelace@GMail.com ',
  phone: '+49 (170) 123-4567',
  firstName: 'Ada',
  lastName: 'Lovelace',
  city: 'London',
  state: 'England',
  zip: 'W1A 1AA',
  country: 'gb',
  dateOfBirth: '1990-12-10',
  gender: 'Female',
}

/** Meta's SDK normalises and hashes identifiers. Its HTTP client can be replaced. */
const facebook = (user: OraclePerson): Oracle => ({
  id: 'facebook',
  sdk: 'facebook-nodejs-business-sdk',
  secrets: { FACEBOOK_PIXEL_ID: '1234567890123456', FACEBOOK_ACCESS_TOKEN: 'token-1' },
  user,
  async send(exports, url) {
    const { EventRequest, ServerEvent, UserData, CustomData, Content } = exports as Sdk
    const keys = new UserData().setExternalId!(user.customerId ?? user.userId).setClientIpAddress!(user.ip)
      .setClientUserAgent!(user.userAgent)
    if (user.email) keys.setEmail!(user.email)
    if (user === person)
      keys.setPhone!(person.phone).setFirstName!(person.firstName).setLastName!(person.lastName).setCity!(person.city)
        .setState!(person.state).setZip!(person.zip).setCountry!('gb').setDateOfBirth!('19901210').setGender!('f')
    const events = [purchase, lead].map((event) => {
      const { value, currency } = event.data
      const data = new CustomData().setValue!(value).setCurrency!(currency.toLowerCase())
      if (event === purchase) {
        const { orderId, contents } = purchase.data
        data.setOrderId!(orderId).setContentIds!(contents.map(({ id }) => id)).setContentType!('product').setNumItems!(
          2,
        )
        data.setContents!(
          contents.map((item) =>
            new Content().setId!(item.id).setQuantity!(item.quantity).setItemPrice!(item.item_price),
          ),
        )
      }
      return new ServerEvent().setEventName!(event.eventName).setEventTime!(at / 1_000).setEventId!(event.eventId)
        .setActionSource!('website').setEventSourceUrl!(event.pageUrl).setUserData!(keys).setCustomData!(data)
    })
    const client = {
      async executeRequest(address: string, method: string, headers: Record<string, string>, params: object) {
        const body = JSON.stringify(params)
        await fetch(url + new URL(address).pathname, {
          method,
          headers,
          body,
        })
        return {}
      },
    }
    const request = new EventRequest('token-1', '1234567890123456').setEvents!(events).setHttpService!(client)
    await request.execute!(undefined)
  },
  explained: {
    'path: another value': 'The SDK calls the version of the API that was current when it was published.',
    'body.data.*.user_data.external_id.*: another value': 'The SDK leaves it as it is; Meta recommends to hash it.',
    ...Object.fromEntries(
      ['namespace_id', 'partner_agent', 'test_event_code', 'upload_id', 'upload_source', 'upload_tag'].map((name) => [
        `body.${name}: theirs only`,
        'It is null.',
      ]),
    ),
  },
})

export const facebookOracles: readonly Oracle[] = [facebook(person), ...ofPeople(facebook)]
