"""Hostile texts for whoever tests what reads them; the data says what each is after."""
