// The home as a client-rendered application: the baseline for the prerendered home.
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider, useLoaderData } from 'react-router'
import { Footer } from '#app/layout/footer.tsx'
import { Header } from '#app/layout/header.tsx'
import Start from '#app/site/home/home.page.tsx'
import '#app/ui/styles/base.css'

type Data = Parameters<typeof Start>[0]['loaderData'] & { edicion: Parameters<typeof Footer>[0]['edicion'] }

function SiteScreen() {
  const data = useLoaderData<Data>()
  const page = { loaderData: data } as Partial<Parameters<typeof Start>[0]> as Parameters<typeof Start>[0]
  return (
    <>
      <Header />
      <main id="contenido">
        <Start {...page} />
      </main>
      <Footer edicion={data.edicion} corto={false} />
    </>
  )
}

const router = createBrowserRouter([{ path: '*', loader: () => fetch('/datos.json'), Component: SiteScreen }])
createRoot(document.getElementById('root')!).render(<RouterProvider router={router} />)
