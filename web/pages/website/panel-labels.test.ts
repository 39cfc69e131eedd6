import { describe, expect, it } from 'vitest'
import { getRegionName } from '../../lib/get-region-name.ts'
import { formatPanelValue } from './panel-labels.ts'

describe('a value of a panel', () => {
  it('shows internationalised domains as people write them', () => {
    expect(formatPanelValue('referrer', 'xn--mnchen-3ya.example/blog')).toBe('münchen.example/blog')
    expect(formatPanelValue('source', 'xn--mnchen-3ya.example')).toBe('münchen.example')
    expect(formatPanelValue('hostname', 'www.xn--mnchen-3ya.example')).toBe('www.münchen.example')
    expect(formatPanelValue('source', 'Google')).toBe('Google')
    expect(formatPanelValue('page', '/xn--mnchen-3ya')).toBe('/xn--mnchen-3ya')
  })

  it('shows the names of regions instead of their codes', async () => {
    await getRegionName('DE-BY')
    expect(formatPanelValue('region', 'DE-BY')).toBe('Bavaria')
    expect(formatPanelValue('region', 'Provence, FR')).toBe('Provence, FR')
  })
})
