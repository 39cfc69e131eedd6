/** Most visits neither load nor remove the sample shop, so the script for it is loaded on first use. */

export const loadSampleShop = async () => (await import('./sample-shop.ts')).createSampleShop()
export const removeSampleShop = async () => (await import('./sample-shop.ts')).deleteSampleShop()
