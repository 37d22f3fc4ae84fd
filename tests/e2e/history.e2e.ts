import { expectAccessible } from './accessible.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

test('history and the queen of today', async ({ page }) => {
  await page.goto('/nuestra-historia')
  await softStep('tells the hundred years, with an old photograph', async () => {
    await expect(page.getByRole('heading', { level: 1, name: 'Nuestra historia' })).toBeVisible()
    await expect(page.getByText('100', { exact: true })).toBeVisible()
    await expect(page.getByText('años de feria, edición 101 del certamen')).toBeVisible()
    await expect(page.getByRole('img', { name: /Fotografía antigua en sepia/ })).toBeAttached()
    await expect(page.getByRole('link', { name: 'NUESTRA HISTORIA' })).toHaveAttribute('aria-current', 'page')
  })

  await softStep('the years that the text names stand beside it on a thread, and are not read out twice', async () => {
    const marked = page.locator('[data-years]')
    const beside = await marked.evaluateAll((all) => all.map((one) => getComputedStyle(one, '::before').content))
    expect(beside).toEqual(['"1925" / ""', expect.stringMatching(/^"1926.+2020" \/ ""$/), '"2025" / ""'])
  })

  await softStep('presents the queen of today', async () => {
    const queen = page.getByRole('region', { name: 'Reina Actual' })
    await expect(queen.getByRole('heading', { level: 3, name: 'María José Azucena Prado' })).toBeVisible()
    await expect(queen.getByRole('term')).toHaveText(['Lugar de nacimiento', 'Edad', 'Estudios'])
    await expect(queen.getByRole('definition').first()).toHaveText('Azahares, Jalisco')
    await expect(queen.getByRole('blockquote')).toContainText('«')
    await expect(queen.getByRole('img', { name: /Retrato de la reina/ })).toBeAttached()
  })

  // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
  await expectAccessible(page)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('says it all', async ({ page }) => {
    await page.goto('/nuestra-historia')
    await expect(page.getByRole('region', { name: 'Reina Actual' })).toBeVisible()
    await expect(page.getByRole('img', { name: /La feria al anochecer/ })).toBeVisible()
  })
})
