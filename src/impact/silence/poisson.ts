/** The probability of at least `count` events where `mean` are expected. */
export function findPoissonTail(count: number, mean: number): number {
  let term = Math.exp(-mean)
  let below = 0
  for (let events = 0; events < count; events++) {
    below += term
    term *= mean / (events + 1)
  }
  return Math.max(0, 1 - below)
}
