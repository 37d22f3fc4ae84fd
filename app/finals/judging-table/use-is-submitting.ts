import { useNavigation } from 'react-router'

export const useIsSubmitting = () => useNavigation().state === 'submitting'
