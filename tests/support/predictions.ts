import type { VisitPrediction } from '../../src/impact/model/model.ts'

/**
 * Creates a prediction for usual traffic. The level of the traffic is certain, so only the dispersion makes the
 * prediction uncertain.
 */
export function createPrediction(
  fields: Pick<VisitPrediction, 'mean' | 'dispersion' | 'low' | 'high'>,
): VisitPrediction {
  const certainLevel = { levelVariance: 0, possibleFall: 0, possibleRise: 0 }
  return { ...fields, ...certainLevel, expected: Math.round(fields.mean), isUnusual: false }
}
