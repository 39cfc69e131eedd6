import { describe, expect, it } from 'vitest'
import { dropReasons } from '../model/drop-reasons.ts'
import { batchSteps } from './steps.ts'

describe('the steps of a batch', () => {
  it('drop events for every known reason, and each reason belongs to one step', () => {
    expect(batchSteps.flatMap(({ drops = [] }) => drops).toSorted()).toEqual(dropReasons.toSorted())
  })
})
