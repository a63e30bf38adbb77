/** Runs what it is given one after the other, in the order it was given. What fails stops none of the others. */
export function oneByOne(): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const turn = last.catch(() => {}).then(run)
    last = turn
    return turn
  }
}
