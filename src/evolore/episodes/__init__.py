"""System 2: what an episode shares with its neighbours, where they pull it apart, and how it is split then."""
