import type { CapturedValues } from '#provider/form/request.ts'

/** The value of the pixel's cookie; else the same format made of the click id. Both are case-sensitive. */
export const fbcOf = ({ _fbc, fbclid }: CapturedValues) =>
  _fbc?.value ?? (fbclid && `fb.1.${fbclid.at}.${fbclid.value}`)

/** Limited Data Use. With country 0 and state 0, Meta determines the location of the person. */
export const limitedDataUse = {
  data_processing_options: ['LDU'],
  data_processing_options_country: 0,
  data_processing_options_state: 0,
}
