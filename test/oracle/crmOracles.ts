import { at, lead, type Oracle, type OraclePerson, ofPeople, person, purchase } from './oracle.ts'

type New<T> = new (...options: unknown[]) => T

/** The properties of the examples in Klaviyo's guide for e-commerce. */
function klaviyoProperties() {
  const { orderId: OrderId, contents } = purchase.data
  const Items = contents.map(({ id, title, item_price, quantity }) => ({
    ProductID: id,
    ProductName: title,
    Quantity: quantity,
    ItemPrice: item_price,
    RowTotal: 59.98,
  }))
  const page = ({ pageUrl: PageURL, pageTitle: PageTitle }: { pageUrl: string; pageTitle: string }) => ({
    PageURL,
    PageTitle,
  })
  return [{ ...page(purchase), OrderId, ItemNames: ['Runner'], Items }, page(lead)]
}

const klaviyo = (user: OraclePerson): Oracle => ({
  id: 'klaviyo',
  sdk: 'klaviyo-api',
  secrets: { KLAVIYO_API_KEY: 'pk_test' },
  send(exports, url) {
    type Events = { basePath: string; bulkCreateEvents(job: object): Promise<unknown> }
    const { ApiKeySession, EventsApi } = exports as { ApiKeySession: New<object>; EventsApi: New<Events> }
    const properties = klaviyoProperties()
    const rows = [purchase, lead].map((event, n) => ({
      type: 'event-bulk-create',
      attributes: {
        profile: {
          data: {
            type: 'profile',
            attributes: { email: user.email, externalId: user.customerId, location: { ip: user.ip } },
          },
        },
        events: {
          data: [
            {
              type: 'event',
              attributes: {
                metric: { data: { type: 'metric', attributes: { name: ['Placed Order', 'Lead'][n] } } },
                properties: properties[n],
                time: new Date(at),
                value: event.data.value,
                valueCurrency: event.data.currency,
                uniqueId: event.eventId,
              },
            },
          ],
        },
      },
    }))
    const events = new EventsApi(new ApiKeySession('pk_test'))
    events.basePath = url
    return events.bulkCreateEvents({
      data: { type: 'event-bulk-create-job', attributes: { eventsBulkCreate: { data: rows } } },
    })
  },
  explained: {
    'contentType: another value': 'The SDK sends application/json; the page shows application/vnd.api+json.',
  },
})

const intercom: Oracle = {
  id: 'intercom',
  sdk: 'intercom-client',
  secrets: { INTERCOM_ACCESS_TOKEN: 'token-1' },
  events: [lead],
  send(exports, url) {
    type Client = { events: { create(event: object): Promise<unknown> } }
    const { IntercomClient } = exports as { IntercomClient: New<Client> }
    const client = new IntercomClient({ token: 'token-1', environment: url, baseUrl: url })
    return client.events.create({
      event_name: 'submitted-lead',
      created_at: at / 1_000,
      user_id: person.customerId,
      metadata: {
        price: { amount: 1_000, currency: 'eur' },
        page_url: lead.pageUrl,
        page_title: lead.pageTitle,
        event_id: lead.eventId,
      },
    })
  },
  explained: {
    'version: another value': 'Ours is the version for which the provider file was written.',
  },
}

export const crmOracles: readonly Oracle[] = [
  klaviyo(person),
  // without e-mail and customer id, an event has no profile
  ...ofPeople(klaviyo, ['an e-mail alone', 'a customer']),
  intercom,
]
