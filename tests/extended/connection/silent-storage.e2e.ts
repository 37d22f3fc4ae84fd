import { button, chooseDocuments, fillFields, goToRegistration } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'

/** Browser storage that stops answering, put in place before the page's scripts. */
const SILENT: Record<string, string> = {
  'never opens': 'IDBFactory.prototype.open = () => new EventTarget()',
  'opens after a minute': `{
    const open = IDBFactory.prototype.open
    IDBFactory.prototype.open = function (...given) {
      const late = new EventTarget()
      setTimeout(() => open.apply(this, given), 60_000)
      return late
    }
  }`,
  'never finishes what it was asked to do': `for (const name of ['put', 'delete', 'get', 'getAll'])
    IDBObjectStore.prototype[name] = () => new EventTarget()`,
  'gives out no locks': `LockManager.prototype.request = LockManager.prototype.query = () => new Promise(() => {})`,
}

test('browser storage that does not answer delays neither the sending nor the folio', async ({ page, site }) => {
  let count = 0
  for (const [what, script] of Object.entries(SILENT))
    await test.step(what, async () => {
      const fresh = await page.context().newPage()
      await fresh.addInitScript(script)
      await goToRegistration(fresh)
      const name = `Malva ${['Una', 'Dos', 'Tres', 'Cuatro'][count++]} Prueba`
      await fillFields(fresh, { nombre: name })
      await chooseDocuments(fresh)
      await button(fresh).click()
      await expect(fresh.getByRole('status').filter({ hasText: 'Registro exitoso.' })).toBeVisible()
      expect(await site.sql('select id from registros where nombre = $1', [name])).toHaveLength(1)
      await fresh.close()
    })
})
