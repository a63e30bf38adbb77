import {
  birthDate,
  countryCodeLower,
  genderLetter,
  lettersAndDigits,
  phoneDigits,
  stateCode,
  trimmed,
  zipCode,
} from '#provider/form/normalise.ts'
import { hashed } from '#provider/form/userRule.ts'

/** The person's fields with Meta's names and rules. Other ad platforms adopted them. */
export const metaDigests = {
  em: hashed('email'),
  ph: hashed('phone', phoneDigits),
  fn: hashed('firstName'),
  ln: hashed('lastName'),
  ge: hashed('gender', genderLetter),
  db: hashed('dateOfBirth', birthDate),
  ct: hashed('city', lettersAndDigits),
  st: hashed('state', stateCode),
  zp: hashed('zip', zipCode),
  country: hashed('country', countryCodeLower),
  external_id: hashed('anyStableId', trimmed),
}
