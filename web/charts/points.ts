/** Finds the point of a small chart at a position, and the position of a point. All points have the same width. */
export type Rect = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>

export function findPointAt({ left, width }: Rect, count: number, x: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor(((x - left) / Math.max(1, width)) * count)))
}

export function findPointRect({ left, top, width, height }: Rect, count: number, point: number): Rect {
  return { left: left + (point * width) / count, top, width: width / count, height }
}

/**
 * Returns the point that an arrow key moves to. If no point is shown yet, returns the last point. Undefined for other
 * keys.
 */
export function findNextPoint(key: string, point: number | undefined, count: number): number | undefined {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  if (point === undefined) return count - 1
  return Math.max(0, Math.min(count - 1, point + (key === 'ArrowLeft' ? -1 : 1)))
}
