import type { Person } from './identity.ts'

/** A person of whom all is known, as a shop writes it down: for the examples of providers. */
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
  userId: 'usr_1',
  ip: '81.2.69.142',
  userAgent: 'Mozilla/5.0',
} satisfies Person

/** What stands in a cart. */
export const cart = {
  value: 59.98,
  currency: 'EUR',
  contents: [{ id: 'sku-1', title: 'Runner', category: 'Shoes', variantId: 'red', quantity: 2, item_price: 29.99 }],
}
