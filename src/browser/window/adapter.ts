/** Adapters of the package are imported only for their side effect: `import 'aglet/adapters/dataLayer'`. */
export {}
