import { hashed } from './identity.ts'
import {
  birthDate,
  countryLetters,
  genderLetter,
  lettersAndDigits,
  phoneDigits,
  stateLetters,
  trimmed,
  zipCode,
} from './normalise.ts'

/** A person as Meta began to ask for it, names and rules; other advertisers took them over. */
export const metaDigests = {
  em: hashed('email'),
  ph: hashed('phone', phoneDigits),
  fn: hashed('firstName'),
  ln: hashed('lastName'),
  ge: hashed('gender', genderLetter),
  db: hashed('dateOfBirth', birthDate),
  ct: hashed('city', lettersAndDigits),
  st: hashed('state', stateLetters),
  zp: hashed('zip', zipCode),
  country: hashed('country', countryLetters),
  external_id: hashed('userId', trimmed),
}
