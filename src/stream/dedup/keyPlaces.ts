/** Larger than the number of events in a body (500). */
const slotsPerBody = 512

/** Packs the position of a body and the index of an event in it into one number, the event's place. */
export const packPlace = (position: number, index: number) => position * slotsPerBody + index
export const unpackPlace = (place: number) => ({
  position: Math.floor(place / slotsPerBody),
  index: place % slotsPerBody,
})
