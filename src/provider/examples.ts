import { createPrivateKey } from 'node:crypto'
import type { Person } from './person.ts'

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

/** An event of each name, with what is in the cart. */
export const oneOfEach = (names: object) => Object.keys(names).map((eventName) => ({ eventName, data: cart }))

/** A key of nobody, made for examples and too short for all else. */
const exampleKey = {
  kty: 'RSA',
  n: 'zP0a0meDxxFPDW7FGaQqS1wZkIEtpUtULlf_1OpoA4Z3goYayhD2m9gb4-fPsUN_-YWBBH1IJJDIGiXQigwOPQ',
  e: 'AQAB',
  d: 'Qkz2-OisMZ3CkNir_WAgoeE3D4sIhXb40kh6IZZzb_fgJ4EmBHEMrkrSnS29OtNDmFbbCTrHYceLBPb02Wh3wQ',
  p: '-46_mJnoCu4SPPv7Mlpns2AsCf42PZccCGWedO2TaBE',
  q: '0JvTY3sV-2xecWDDp-yV5DPfHlpTKMl-HHCSG9nzz20',
  dp: 'cPvFTAncMYSKBn_6a7w1FVidjwNxYypKee8CQ2wtJ7E',
  dq: 'VkE4JJgOPMlQO50BCXv_dj4kcU5zuBeoN2YsY6u47fk',
  qi: 'bnSNUtVSi0kRjfIJAJxHNs6wioWKBuZ4nk9ZXlgrA1Q',
}

/** The key file of a service account, as Google hands it out. */
export const serviceAccount = JSON.stringify({
  type: 'service_account',
  client_email: 'aglet@project.iam.gserviceaccount.com',
  private_key: createPrivateKey({ key: exampleKey, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }),
  token_uri: 'https://somewhere.example/token',
})
