/** The shape of the English words, with any text in the place of each text. A language that lacks one does not compile. */
export type Translated<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => infer Text
    ? (...values: Values) => Translated<Text>
    : { readonly [Name in keyof Words]: Translated<Words[Name]> }
