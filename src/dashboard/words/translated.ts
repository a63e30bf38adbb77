/** The shape of the English words, with any string for each text. A language that lacks a text does not compile. */
export type Translated<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => infer Text
    ? (...values: Values) => Translated<Text>
    : { readonly [Name in keyof Words]: Translated<Words[Name]> }
