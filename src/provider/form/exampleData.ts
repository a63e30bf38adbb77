import type { RawPerson } from './person.ts'

/** A person with all standard keys, as shops send them. */
export const ada = {
  email: ' Ada.Lovelace@GMail.com ',
  phone: '+49 (170) 123-4567',
  firstName: 'Ada',
  lastName: 'Lovelace',
  gender: 'Female',
  dateOfBirth: '1990-12-10',
  city: 'London',
  state: 'England',
  zip: 'W1A 1AA',
  country: 'United Kingdom',
  customerId: 'customer-1',
  userId: 'usr_1',
  ip: '81.2.69.142',
  userAgent: 'Mozilla/5.0',
} satisfies RawPerson

/** The data of an event with one item. */
export const cart = {
  value: 59.98,
  currency: 'EUR',
  contents: [{ id: 'sku-1', title: 'Runner', category: 'Shoes', variantId: 'red', quantity: 2, item_price: 29.99 }],
}

/** A visit that began one minute before the example event. */
export const visit = { sessionId: 'ses_01hf7y8zd0e008000000000000', startedAt: 1_699_999_940_000 }

/** One event for each name, with `cart` as its data. */
export const eventOfEach = (names: object) => Object.keys(names).map((eventName) => ({ eventName, data: cart }))
